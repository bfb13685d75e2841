import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';

/** Where the page lies below dist/: `index.html`, and `assets/`, whose names change with their content. */
const webFolder = 'web';

/**
 * Bundles the page that the server serves (src/web): one script at the start, one of the worker that all tabs share, a chunk for each `import()`, one style sheet
 * of all that is imported, in the order of the imports, and the files that `index.html` names in double braces.
 * Nothing in it comes from another host, and nothing is inline: the page runs under a strict content security policy.
 * Returns what scripts/bundle.mjs does.
 */
export async function bundleWeb(root, define) {
  const { rolldown } = await import('rolldown');
  const styles = new Map();
  const order = [];
  const bundled = await rolldown({
    cwd: root,
    input: { app: 'src/web/main.tsx', events: 'src/web/events-worker.ts' },
    platform: 'browser',
    tsconfig: 'tsconfig.web.json',
    transform: { target: 'es2022', define },
    checks: { ineffectiveDynamicImport: false },
    onLog: (_level, { message }) => {
      throw new Error(`src/web: ${message}`);
    },
    plugins: [styleSheets(join(root, 'src/web/main.tsx'), styles, order)],
  });
  try {
    const { output } = await bundled.generate({
      format: 'esm',
      minify: true,
      comments: false,
      entryFileNames: `${webFolder}/assets/[name]-[hash].js`,
      chunkFileNames: `${webFolder}/assets/[name]-[hash].js`,
    });
    const css = order.map((id) => styles.get(id) ?? '').join('\n');
    return {
      files: filesOf(root, output, css),
      moduleIds: new Set(output.flatMap((chunk) => chunk.moduleIds ?? [])),
    };
  } finally {
    await bundled.close();
  }
}

function filesOf(root, output, css) {
  const scripts = new Map(output.map(({ fileName, code }) => [fileName, code]));
  for (const chunk of output) assertOwn(chunk, scripts);
  const entry = (name) => output.find((chunk) => chunk.isEntry && chunk.name === name).fileName;
  const style = hashed('app.css', withoutComments(css));
  const icon = hashed('icon.svg', readFileSync(join(root, 'src/web/icon.svg'), 'utf8'));
  const page = fill(readFileSync(join(root, 'src/web/index.html'), 'utf8'), {
    script: below(entry('app')),
    worker: below(entry('events')),
    style: below(style.path),
    icon: below(icon.path),
  });
  return new Map([
    ...scripts,
    [style.path, style.text],
    [icon.path, icon.text],
    [`${webFolder}/index.html`, page],
  ]);
}

/**
 * A plugin of the bundler: takes style sheets out of the scripts that import them. Each has its place by where the imports,
 * followed from the entry, come to it first; those of chunks that load late come last.
 */
export function styleSheets(entry, styles, order) {
  return {
    name: 'style-sheets',
    load(id) {
      if (extname(id) !== '.css') return undefined;
      styles.set(id, readFileSync(id, 'utf8'));
      return { code: '', moduleSideEffects: true, moduleType: 'js' };
    },
    buildEnd() {
      const late = [entry];
      const seen = new Set();
      const visit = (id) => {
        if (seen.has(id)) return;
        seen.add(id);
        const info = this.getModuleInfo(id);
        for (const imported of info?.importedIds ?? []) visit(imported);
        late.push(...(info?.dynamicallyImportedIds ?? []));
        if (styles.has(id)) order.push(id);
      };
      for (const id of late) visit(id);
    },
  };
}

function assertOwn({ fileName, type, imports = [], dynamicImports = [] }, scripts) {
  if (type !== 'chunk')
    throw new Error(`unexpected asset ${fileName}: src/web should import code and styles only`);
  const foreign = [...imports, ...dynamicImports].find((imported) => !scripts.has(imported));
  if (foreign !== undefined) {
    throw new Error(
      `${fileName} would import "${foreign}" in the browser: install it, or do not import it in src/web`,
    );
  }
}

function hashed(name, text) {
  const hash = createHash('sha256').update(text).digest('base64url').slice(0, 8);
  const extension = extname(name);
  return { path: `${webFolder}/assets/${basename(name, extension)}-${hash}${extension}`, text };
}

const below = (path) => `./${path.slice(webFolder.length + 1)}`;

export const withoutComments = (css) => css.replace(/\/\*[\s\S]*?\*\//g, '').replace(/\s*\n\s*/g, '\n');

function fill(page, values) {
  return page.replace(/\{\{(\w+)\}\}/g, (_, name) => {
    const value = values[name];
    if (value === undefined)
      throw new Error(`src/web/index.html asks for {{${name}}}, which the build does not know`);
    return value;
  });
}
