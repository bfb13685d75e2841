import { Graphviz } from '@hpcc-js/wasm-graphviz';
import { describe, expect, it } from 'vitest';
import { compile } from '../../src/compiler/compile.js';
import type { Diagnostic } from '../../src/diagnostic/diagnostic.js';
import { lower } from '../../src/graph/lower.js';
import { parseDot } from '../../src/parser/dot/parse.js';
import { allPages, type Block, blocksOf } from './markdown.js';

const blocks = allPages().flatMap((page) =>
  blocksOf(page, 'dot').map((block) => [`${page.name}:${block.firstLine}`, block] as const),
);

/** What may follow ```` ```dot ````: `fragment`, `file=NAME`, and `error=RULE` or `warning=RULE`, as in `error=syntax/port`. */
describe('pipelines in the documentation', () => {
  it.each(blocks)('%s has the findings that it says', (_, block) => {
    const found = compile(pipelineOf(block))
      .diagnostics.filter(({ severity }) => severity !== 'info')
      .map(findingOf);
    const expected = block.words.filter((word) => /^(?:error|warning)=/.test(word));
    expect(found).toEqual(expected);
  });

  it('can be drawn by Graphviz as they are', async () => {
    const graphviz = await Graphviz.load();
    const readable = blocks.filter(
      ([, { words }]) => !words.some((word) => word.startsWith('error=syntax/')),
    );
    for (const [place, block] of readable)
      expect(graphviz.dot(pipelineOf(block), 'plain'), place).toMatch(/^graph /);
  });

  it('are seen at all', () => {
    expect(blocks.length).toBeGreaterThan(10);
    const known = /^(?:fragment|(?:file|error|warning)=\S+)$/;
    expect(blocks.flatMap(([, { words }]) => words.filter((word) => !known.test(word)))).toEqual([]);
  });
});

function findingOf({ severity, rule, code }: Diagnostic): string {
  return `${severity}=${rule}${code === undefined ? '' : `/${code}`}`;
}

function pipelineOf(block: Block): string {
  return block.words.includes('fragment') ? completed(block.text) : block.text;
}

/** A fragment as a whole pipeline: what it mentions without declaring it is declared, and everything is connected. */
function completed(fragment: string): string {
  const { graph } = lower(parseDot(`digraph Fragment {\n${fragment}\n}`).document);
  const sources = new Set(graph.edges.map(({ from }) => from));
  const targets = new Set(graph.edges.map(({ to }) => to));
  const ids = new Set([...graph.nodes.keys(), ...sources, ...targets]);
  const declared = (id: string): boolean => graph.nodes.get(id)?.declared === true;
  const [start, exit] = [roleIn(ids, 'start'), roleIn(ids, 'done')];
  const declarations = [...new Set([...ids, start, exit])]
    .filter((id) => !declared(id))
    .map(
      (id) => `${id} ${id === start ? '[shape=Mdiamond]' : id === exit ? '[shape=Msquare]' : '[prompt="…"]'}`,
    );
  const inner = [...ids].filter((id) => id !== start && id !== exit);
  const edges = [
    ...inner.map((id) => `${start} -> ${id}`),
    ...inner.filter((id) => !sources.has(id)).map((id) => `${id} -> ${exit}`),
  ];
  return ['digraph Fragment {', fragment, ...declarations, ...edges, '}'].join('\n');
}

/** The name that the documentation gives to its start and its exit nodes. */
function roleIn(ids: ReadonlySet<string>, name: string): string {
  return ids.has(name) ? name : `fragment_${name}`;
}
