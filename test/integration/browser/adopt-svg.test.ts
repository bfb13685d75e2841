import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { rolldown } from 'rolldown';
import { beforeAll, expect, it } from 'vitest';
import { compile } from '../../../src/compiler/compile.js';
import { renderSvg } from '../../../src/render/svg.js';
import { root } from '../../docs/markdown.js';
import { inBrowser } from './in-browser.js';

// SEMANTICS 73a: the picture of a pipeline has words of its author in it, and the page takes nothing of it but what it knows.

interface Adopted {
  readonly elements: readonly string[];
  readonly attributes: readonly string[];
  readonly text: string;
  readonly groups: readonly string[];
}

const svg = (content: string, more = ''): string =>
  `<svg viewBox="0 0 10 10" xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" ${more}>${content}</svg>`;
const call = 'window.owned=1';

const hostile: readonly [name: string, svg: string][] = [
  ['a script', svg(`<script>${call}</script>`)],
  [
    'a script in another spelling',
    svg(`<SCRIPT>${call}</SCRIPT><x:script xmlns:x="http://www.w3.org/2000/svg">${call}</x:script>`),
  ],
  [
    'handlers',
    svg(
      `<g onclick="${call}" onload="${call}"><path onmouseover="${call}" d="M0,0"/></g>`,
      `onload="${call}"`,
    ),
  ],
  ['links', svg(`<a href="javascript:${call}" xlink:href="javascript:${call}"><text>here</text></a>`)],
  [
    'foreign content',
    svg(
      `<foreignObject><img xmlns="http://www.w3.org/1999/xhtml" src="x" onerror="${call}"/></foreignObject>`,
    ),
  ],
  [
    'HTML in it',
    svg(
      `<iframe xmlns="http://www.w3.org/1999/xhtml" srcdoc="&lt;script&gt;parent.owned=1&lt;/script&gt;"/>`,
    ),
  ],
  [
    'references',
    svg(
      '<use href="#x"/><image href="https://elsewhere.example/x.png"/><path fill="url(https://elsewhere.example/#x)" d="M0,0"/>',
    ),
  ],
  [
    'styles',
    svg(
      '<style>body{display:none}</style><g style="position:fixed" class="a"/><style type="text/css">@import "https://elsewhere.example/x.css";</style>',
    ),
  ],
  [
    'animation',
    svg(
      `<g><animate attributeName="href" to="javascript:${call}"/><set attributeName="onclick" to="${call}"/></g>`,
    ),
  ],
  ['entities', `<!DOCTYPE svg [<!ENTITY x "<script>${call}</script>">]>${svg('<text>&x;</text>')}`],
];

inBrowser('a drawing on the page', 'no server', (world) => {
  let page: Page;
  let complaints: readonly string[] = [];

  beforeAll(async () => {
    const opened = await world.openFile('about:blank');
    page = opened.page;
    complaints = opened.complaints;
    await page.setContent('<!doctype html><title>drawing</title>');
    await page.addScriptTag({ type: 'module', content: await bundled() });
    await page.waitForFunction('globalThis.adopt !== undefined');
  });

  const adopt = (text: string): Promise<Adopted | undefined> =>
    page.evaluate(`adopt(${JSON.stringify(text)})`);

  it.each(hostile)('is shown without %s', async (_name, text) => {
    const adopted = await adopt(text);
    // One that cannot be read is not shown at all.
    expect(adopted?.elements ?? []).not.toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^(script|a|foreignObject|iframe|img|image|use|style|animate|set)$/i),
      ]),
    );
    expect(adopted?.attributes ?? []).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^on|href|style|^id$|^src/i)]),
    );
    expect(await page.evaluate('window.owned')).toBeUndefined();
    expect(complaints.filter((complaint) => complaint.includes('elsewhere'))).toEqual([]);
  });

  it.each([
    '',
    'no drawing',
    '<svg',
    '<html xmlns="http://www.w3.org/1999/xhtml"/>',
    '<svg xmlns="http://www.w3.org/2000/svg"/>',
  ])('is none where the text is %j', async (text) => {
    expect(await adopt(text)).toBeUndefined();
  });

  it('has every stage and edge of a pipeline, and the words of its author as words', async () => {
    const source = readFileSync(path.join(root, 'examples/release.dot'), 'utf8');
    const { program } = compile(source);
    if (program === undefined) throw new Error('the example does not compile');
    const { graph } = program;
    const adopted = await adopt(await renderSvg(graph, { theme: 'light' }));
    expect(adopted?.groups).toEqual(
      expect.arrayContaining([
        ...[...graph.nodes.keys()].map((id) => `node-${id}`),
        ...graph.edges.map((_, index) => `edge-${index}`),
      ]),
    );
    const label = '</text><script>x</script>';
    const { program: named } = compile(
      `digraph g { start [shape=Mdiamond] exit [shape=Msquare] a [label="${label}"] start -> a -> exit }`,
    );
    if (named === undefined) throw new Error('the pipeline of the test does not compile');
    expect((await adopt(await renderSvg(named.graph, { theme: 'light' })))?.text).toContain(
      '<script>x</script>',
    );
  });
});

async function bundled(): Promise<string> {
  const bundle = await rolldown({
    cwd: root,
    input: 'test/integration/browser/adopt-svg.page.mjs',
    platform: 'browser',
    external: [],
  });
  const { output } = await bundle.generate({ format: 'esm' });
  await bundle.close();
  return output.map((file) => ('code' in file ? file.code : '')).join('\n');
}
