import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { compile } from '../../src/compiler/compile.js';
import { renderSvg } from '../../src/render/svg.js';
import { drawableText } from '../../src/render/text.js';
import { palettes, type Theme } from '../../src/render/theme.js';
import { fc } from '../support/fast-check.js';
import { buildGraph, type GraphData } from './build-graph.js';
import { elementsIn, elementWithId, linesIn, readSvg, tooltipOf } from './svg-reading.js';

const draw = async (data: GraphData, theme: Theme = 'light') =>
  readSvg(await renderSvg(buildGraph(data), { theme }));

const examples = new URL('../../examples/spec/', import.meta.url);
const example = (name: string) => compile(readFileSync(new URL(`${name}.dot`, examples), 'utf8')).graph;

test.each(['branch', 'human-gate', 'smoke-test'])('the example %s (§2.13, §11.13)', async (name) => {
  const graph = example(name);
  const svg = await renderSvg(graph);
  await expect(svg).toMatchFileSnapshot(`snapshots/${name}.svg`);
  const root = readSvg(svg);
  for (const id of graph.nodes.keys()) elementWithId(root, `node-${id}`);
  for (const { index } of graph.edges) elementWithId(root, `edge-${index}`);
});

test('every text of the author is there, as text', async () => {
  const root = await draw({
    name: 'G',
    attributes: { label: 'Ärger & "Spaß"', goal: '<b>Go</b>' },
    nodes: [
      ['__proto__', { label: '<script>alert("1")</script>', prompt: 'line 1\nline 2 --> "&lt;"' }],
      ['node', { label: 'C:\\temp\\N \\G', shape: 'parallelogram', tool_command: 'a && b' }],
      ['graph', { label: '計画 🚀', llm_model: 'm<1>' }],
    ],
    edges: [['__proto__', 'graph', { label: '[Y] Yes & no', condition: 'context.a<3 && outcome!="fail"' }]],
    subgraphs: [{ attributes: { label: 'Box <1>' }, nodeIds: ['node'] }],
  });
  expect(linesIn(elementWithId(root, 'node-__proto__'))).toEqual(['<script>alert("1")</script>']);
  expect(tooltipOf(elementWithId(root, 'node-__proto__'))).toContain('line 1\nline 2 --> "&lt;"');
  expect(linesIn(elementWithId(root, 'node-node'))).toEqual(['C:\\temp\\N \\G']);
  expect(tooltipOf(elementWithId(root, 'node-node'))).toContain('a && b');
  expect(linesIn(elementWithId(root, 'node-graph'))).toEqual(['計画 🚀', 'm<1>']);
  expect(linesIn(elementWithId(root, 'edge-0-label'))).toEqual([
    '[Y] Yes & no',
    'context.a<3 && outcome!="fail"',
  ]);
  expect(linesIn(elementWithId(root, 'cluster-0-label'))).toEqual(['Box <1>']);
  expect(linesIn(root)).toEqual(expect.arrayContaining(['Ärger & "Spaß"', '<b>Go</b>']));
  expect(elementsIn(root).map(({ tag }) => tag)).not.toContain('script');
});

test('titles of boxes and labels of edges stand in front of every line, with a rim around their letters', async () => {
  const root = await draw({
    nodes: [['a'], ['b']],
    edges: [
      ['a', 'b', { label: 'forth' }],
      ['b', 'a', { label: 'back' }],
      ['a', 'b'],
    ],
    subgraphs: [{ attributes: { label: 'Box' }, nodeIds: ['b'] }],
  });
  const labels = elementWithId(root, 'pipeline').children.at(-1);
  expect(labels?.attributes.get('stroke')).toBe(palettes.light.page);
  expect(labels?.attributes.get('paint-order')).toBe('stroke');
  expect(labels?.children.map((label) => [label.attributes.get('id'), linesIn(label)])).toEqual([
    ['cluster-0-label', ['Box']],
    ['edge-0-label', ['forth']],
    ['edge-1-label', ['back']],
  ]);
  expect(['cluster-0', 'edge-0', 'edge-1'].map((id) => linesIn(elementWithId(root, id)))).toEqual([
    [],
    [],
    [],
  ]);
});

describe('what a stage does is its tooltip, in full', () => {
  const odd = 'line 1\nline 2 \\n "x" C:\\temp\\N \\\\ --> <b>&lt;</b> \'\\t\'';
  test.each(['prompt', 'tool_command', 'tooltip', 'label'])('%s', async (name) => {
    const root = await draw({ nodes: [['n', { [name]: odd }]] });
    expect(tooltipOf(elementWithId(root, 'node-n'))).toContain(odd);
  });

  test.each(['condition', 'label', 'tooltip'])('%s of an edge', async (name) => {
    const root = await draw({ nodes: [['n']], edges: [['n', 'n', { [name]: odd }]] });
    expect(tooltipOf(elementWithId(root, 'edge-0'))).toContain(odd);
  });
});

describe('themes', () => {
  const data = {
    nodes: [
      ['a', { fontcolor: 'navy' }],
      ['b', { fillcolor: 'pink' }],
    ],
    edges: [['a', 'b', { color: 'blue' }]],
  } satisfies GraphData;
  const withTheme = (theme?: Theme) => renderSvg(buildGraph(data), theme && { theme });

  test('auto is drawn light and turns dark with its reader', async () => {
    const svg = await withTheme();
    const [light, dark] = svg.split('@media (prefers-color-scheme:dark)');
    expect(light).toContain(`.attractor{background:${palettes.light.page}}`);
    expect(dark).toContain(`.attractor{background:${palettes.dark.page}}`);
    expect(svg).toBe(await withTheme('auto'));
  });

  test('auto has a dark counterpart for every colour that is ours', async () => {
    const svg = await withTheme();
    const drawn = [...svg.matchAll(/ (fill|stroke)="(#[0-9a-f]+)"/g)].map(
      ([, property, color]) => `[${property}="${color}"]`,
    );
    const pinned = '[fill="#11161f"]';
    for (const selector of new Set(drawn)) {
      if (selector !== pinned) expect(svg).toContain(`.attractor ${selector}{`);
    }
  });

  test('the colours of the author stay, but not where they would be dark on dark', async () => {
    const svg = await withTheme();
    expect(svg).toContain('[stroke="blue"]{stroke:color-mix(in srgb,blue 50%,white)}');
    expect(svg).toContain('.attractor .node:not(.own-fill) text[fill="navy"]');
    expect(svg).toContain('fill="pink"');
  });

  test.each(['light', 'dark'] as const)('%s is always so', async (theme) => {
    const svg = await withTheme(theme);
    expect(svg).not.toContain('@media');
    expect(svg).toContain(`fill="${palettes[theme].page}"`);
    expect(svg).not.toContain(palettes[theme === 'dark' ? 'light' : 'dark'].page);
  });
});

test('a graph too long for the stack of the main thread is laid out on a thread', async () => {
  const ids = Array.from({ length: 1600 }, (_, index) => `n${index}`);
  const root = await draw({
    nodes: ids.map((id) => [id]),
    edges: ids.slice(1).map((id, index) => [`n${index}`, id] as const),
  });
  expect(elementsIn(root).filter(({ attributes }) => attributes.get('class') === 'edge')).toHaveLength(1599);
});

test('whatever the author writes, the drawing is well-formed and shows it', async () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 20 }),
    fc.string({
      unit: fc.constantFrom('\\', '"', '<', '>', '&', '-', '\n', ';', 'N', ' ', '\0'),
      maxLength: 12,
    }),
  );
  const withoutSpace = (lines: string) => lines.replaceAll(/\s/gu, '');
  await fc.assert(
    fc.asyncProperty(text, text, text, async (name, label, condition) => {
      const root = await draw({
        name,
        attributes: { label: name },
        nodes: [['a', { label, prompt: condition }]],
        edges: [['a', 'a', { label, condition }]],
      });
      expect(tooltipOf(elementWithId(root, 'node-a'))).toContain(
        drawableText(condition.trim()).replaceAll('\u00a0', ' '),
      );
      const shown = withoutSpace(drawableText(label));
      expect(withoutSpace(linesIn(elementWithId(root, 'node-a')).join(''))).toBe(shown === '' ? 'a' : shown);
      const onEdge = elementsIn(root).filter(({ attributes }) => attributes.get('id') === 'edge-0-label');
      expect(withoutSpace(onEdge.flatMap(linesIn).join(''))).toBe(
        shown + withoutSpace(drawableText(condition)),
      );
    }),
    { numRuns: 150 },
  );
});
