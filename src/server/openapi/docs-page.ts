import { escapeXml } from '../../render/text.js';
import type { OpenApiDocument, OpenApiOperation, OpenApiParameter } from './openapi-document.js';

/**
 * Description as a readable page: plain HTML and a style sheet, without a script, so that it works under
 * the strictest content policy, by keyboard, and in light and dark.
 */
export function docsPage(document: OpenApiDocument): string {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const chapters = document.tags.map(({ name, description }) => {
    const own = operations.filter(({ operation }) => operation.tags.includes(name));
    return `<section aria-labelledby="tag-${name}">
<h2 id="tag-${name}">${escapeXml(description)}</h2>
${own.map(operationHtml).join('\n')}
</section>`;
  });
  const schemas = Object.entries(document.components.schemas).map(schemaHtml);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>The HTTP API of attractor</title>
<link rel="stylesheet" href="docs/style.css">
</head>
<body>
<header>
<h1>The HTTP API of attractor</h1>
<p>Programs send <code>Authorization: Bearer TOKEN</code>, with the text of the token file of the server. Errors are
reported as a <a href="#schema-Problem">Problem</a>. The same for programs: <a href="openapi.json">openapi.json</a> (OpenAPI 3.1).
<a href="./">The page of the server</a></p>
</header>
<nav aria-label="Operations">
<ul>
${operations.map(({ path, method, operation }) => `<li><a href="#${operation.operationId}"><b>${method.toUpperCase()}</b> ${codePath(path)}</a></li>`).join('\n')}
</ul>
</nav>
<main>
${chapters.join('\n')}
<section aria-labelledby="schemas">
<h2 id="schemas">Schemas</h2>
${schemas.join('\n')}
</section>
</main>
</body>
</html>
`;
}

interface Described {
  readonly path: string;
  readonly method: string;
  readonly operation: OpenApiOperation;
}

function operationHtml({ path, method, operation }: Described): string {
  const { operationId, summary, description, parameters = [], requestBody, responses, security } = operation;
  const parts = [
    `<p>${prose(summary)}.${security === undefined ? '' : ' <em>No token needed.</em>'}</p>`,
    description === undefined ? '' : `<p>${prose(description)}</p>`,
    table('Parameters', operationId, parameters.map(parameterRow)),
    requestBody === undefined ? '' : `<h4>Body</h4>${contentHtml(requestBody.content)}`,
    table('Answers', operationId, Object.entries(responses).map(responseRow)),
  ];
  return `<article aria-labelledby="${operationId}">
<h3 id="${operationId}"><span class="method ${method}">${method.toUpperCase()}</span> ${codePath(path)}</h3>
${parts.filter((part) => part !== '').join('\n')}
</article>`;
}

/** Long addresses break where a part begins. */
function codePath(path: string): string {
  return `<code>${escapeXml(path).replaceAll('/', '<wbr>/')}</code>`;
}

function parameterRow({ name, in: place, description = '', schema }: OpenApiParameter): readonly string[] {
  return [`<code>${escapeXml(name)}</code>`, `${place}; ${schemaLink(schema)}`, prose(description)];
}

function responseRow([status, { description, content = {}, headers = {} }]: [
  string,
  OpenApiOperation['responses'][string],
]): readonly string[] {
  const named = Object.entries(headers).map(
    ([name, header]) => ` <code>${escapeXml(name)}</code>: ${prose(header.description)}`,
  );
  return [`<b>${status}</b>`, contentHtml(content), `${prose(description)}${named.join('')}`];
}

function contentHtml(content: Readonly<Record<string, { readonly schema: unknown }>>): string {
  const types = Object.entries(content).map(([type, { schema }]) => {
    const link = schemaLink(schema);
    return `<code>${escapeXml(type)}</code>${link === 'text' ? '' : ` ${link}`}`;
  });
  return types.join('<br>');
}

function table(title: string, operation: string, rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  const lines = rows.map(([head = '', ...cells]) => {
    return `<tr><th scope="row">${head}</th>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
  });
  return `<h4>${title}</h4><div class="wide" tabindex="0" role="region" aria-label="${title} of ${operation}"><table>${lines.join('')}</table></div>`;
}

function schemaLink(schema: unknown): string {
  const { $ref: reference, type, enum: values } = schema as SchemaHead;
  if (reference !== undefined) {
    const name = reference.split('/').at(-1) ?? '';
    return `<a href="#schema-${escapeXml(name)}">${escapeXml(name)}</a>`;
  }
  if (values !== undefined)
    return values.map((value) => `<code>${escapeXml(String(value))}</code>`).join(' ');
  return type === 'string' || type === undefined ? 'text' : escapeXml(String(type));
}

interface SchemaHead {
  readonly $ref?: string;
  readonly type?: string;
  readonly enum?: readonly unknown[];
}

function schemaHtml([name, schema]: [string, unknown]): string {
  const text = escapeXml(JSON.stringify(schema, null, 2));
  const linked = text.replaceAll(
    /#\/components\/schemas\/(\w+)/g,
    (whole, target: string) => `<a href="#schema-${target}">${whole}</a>`,
  );
  return `<details id="schema-${name}"><summary><code>${name}</code></summary><pre tabindex="0" aria-label="${name}">${linked}</pre></details>`;
}

/** Words between back quotes are code. */
function prose(text: string): string {
  return escapeXml(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>');
}

/** The style sheet of the page. */
export const docsStyle = `:root { color-scheme: light dark; --text: light-dark(#1b1f24, #e6e8eb); --soft: light-dark(#57606a, #9aa4af);
  --page: light-dark(#fff, #14171a); --panel: light-dark(#f5f6f8, #1d2125); --line: light-dark(#d5d9de, #343a41);
  --link: light-dark(#0a58b0, #7db7ff); --get: light-dark(#0a58b0, #7db7ff); --post: light-dark(#1a7238, #6fd08c); }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 64rem; padding: 1.5rem 1rem 6rem; background: var(--page); color: var(--text);
  font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
a { color: var(--link); }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
code, pre { font: 0.875em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.25rem; margin: 3rem 0 1rem; }
h3 { font-size: 1rem; margin: 0 0 0.5rem; } h4 { font-size: 0.875rem; margin: 0.75rem 0 0.25rem; color: var(--soft); }
nav ul { columns: 20rem; list-style: none; padding: 0; font-size: 0.9rem; } nav a { text-decoration: none; }
article, details { background: var(--panel); border: 1px solid var(--line); border-radius: 8px; padding: 1rem; margin: 0 0 1rem; }
article:has(:target), details:target { border-color: var(--link); }
.method { font: 700 0.8rem ui-monospace, monospace; } .get { color: var(--get); } .post { color: var(--post); }
.wide { overflow-x: auto; } table { border-collapse: collapse; width: 100%; font-size: 0.9rem; }
th, td { text-align: left; vertical-align: top; padding: 0.35rem 0.75rem 0.35rem 0; border-top: 1px solid var(--line); }
th { white-space: nowrap; } th, td { overflow-wrap: normal; } td { min-width: 8rem; }
pre { overflow-x: auto; } summary { cursor: pointer; }
`;
