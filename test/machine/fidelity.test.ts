import { describe, expect, test } from 'vitest';
import { fidelityModes } from '../../src/graph/attribute-tables/attribute-definition.js';
import type { Program } from '../../src/graph/program.js';
import {
  degradeAfterResume,
  type FidelityMode,
  resolveFidelity,
  resolveThread,
} from '../../src/machine/fidelity.js';
import { pipeline, programOf, testEach } from '../run/harness.js';
import { fc } from '../support/fast-check.js';

/** The entry of `b` by the edge from `a`, or by a jump. */
function entryOf(program: Program, by: 'edge' | 'jump' = 'edge') {
  const node = program.nodes.get('b');
  const edge = program.graph.edges.find(({ from, to }) => from === 'a' && to === 'b');
  if (node === undefined || edge === undefined) throw new Error('the pipeline has no a -> b');
  return { program, node, incomingEdge: by === 'edge' ? edge.index : undefined };
}

interface Written {
  readonly edge?: string;
  readonly node?: string;
  readonly graph?: string;
}

const programWith = ({ edge = '', node = '', graph = '' }: Written): Program =>
  programOf(
    pipeline(graph && `graph [${graph}]`, 'a', `b [${node}]`, 'start -> a', `a -> b [${edge}]`, 'b -> exit'),
  );

describe('5.4: the fidelity of a stage', () => {
  testEach<Written & { name: string; by?: 'jump'; mode: FidelityMode }>(
    [
      { name: 'is compact by default', mode: 'compact' },
      { name: 'the graph says', graph: 'default_fidelity=truncate', mode: 'truncate' },
      {
        name: 'the node before the graph',
        node: 'fidelity="summary:low"',
        graph: 'default_fidelity=truncate',
        mode: 'summary:low',
      },
      {
        name: 'the edge before both',
        edge: 'fidelity=full',
        node: 'fidelity="summary:low"',
        graph: 'default_fidelity=truncate',
        mode: 'full',
      },
      {
        name: '35: a jump has no edge',
        by: 'jump',
        edge: 'fidelity=full',
        node: 'fidelity="summary:low"',
        mode: 'summary:low',
      },
      {
        name: '43a: an invalid mode on the edge counts as unset',
        edge: 'fidelity=FULL',
        node: 'fidelity="summary:high"',
        mode: 'summary:high',
      },
      {
        name: '43a: an invalid mode on the node counts as unset',
        node: 'fidelity=summary',
        graph: 'default_fidelity="summary:medium"',
        mode: 'summary:medium',
      },
      {
        name: '43a: an invalid mode on the graph counts as unset',
        graph: 'default_fidelity=constructor',
        mode: 'compact',
      },
      { name: 'an empty mode counts as unset', edge: 'fidelity=""', node: 'fidelity=full', mode: 'full' },
      {
        name: '68a: the deprecated name of the graph counts',
        graph: 'context_fidelity_default=truncate',
        mode: 'truncate',
      },
      {
        name: '68a: the current name wins over the deprecated one',
        graph: 'context_fidelity_default=truncate, default_fidelity=full',
        mode: 'full',
      },
    ],
    ({ by, mode, ...written }) => {
      expect(resolveFidelity(entryOf(programWith(written), by))).toBe(mode);
    },
  );

  test.each(fidelityModes)('%s is a mode, on every carrier', (mode) => {
    for (const written of [
      { edge: `fidelity="${mode}"` },
      { node: `fidelity="${mode}"` },
      { graph: `default_fidelity="${mode}"` },
    ]) {
      expect(resolveFidelity(entryOf(programWith(written)))).toBe(mode);
    }
  });
});

describe('5.4, 68: the thread of a stage', () => {
  const all = {
    node: 'thread_id=of_node',
    edge: 'thread_id=of_edge',
    graph: 'default_thread_id=of_graph',
  };
  testEach<Written & { name: string; by?: 'jump'; thread: string }>(
    [
      { name: 'is that of the node', ...all, thread: 'of_node' },
      { name: 'else of the edge', ...all, node: '', thread: 'of_edge' },
      { name: 'else of the graph', ...all, node: '', edge: '', thread: 'of_graph' },
      { name: 'else of the graph after a jump', ...all, node: '', by: 'jump', thread: 'of_graph' },
      { name: 'else the node before', thread: 'a' },
      { name: 'the graph may call it default_thread', graph: 'default_thread=t', thread: 't' },
      { name: 'the graph may call it thread_id', graph: 'thread_id=t', thread: 't' },
      {
        name: 'the graph may call it context_thread_default',
        graph: 'context_thread_default=t',
        thread: 't',
      },
      {
        name: 'of several names the preferred one counts',
        graph: 'context_thread_default=last, thread_id=third, default_thread=second, default_thread_id=first',
        thread: 'first',
      },
      { name: 'an empty one counts as unset', ...all, node: 'thread_id=""', thread: 'of_edge' },
    ],
    ({ by, thread, ...written }) => {
      const entry = entryOf(programWith(written), by);
      expect(resolveThread({ ...entry, previousNode: 'a', branch: '' })).toBe(thread);
    },
  );

  const inSubgraphs = (inner: string, outer: string) =>
    programOf(
      pipeline(
        'a',
        `subgraph cluster_outer { ${outer} subgraph cluster_inner { ${inner} b } }`,
        'start -> a -> b -> exit',
      ),
    );
  test.each([
    ['the innermost subgraph', 'label="Loop A"', 'label="Outer"', 'loop-a'],
    ['the one around it, where its label derives nothing', 'label="!!"', 'label="Outer"', 'outer'],
    ['the one around it, where it has no label', '', 'label="Outer"', 'outer'],
    ['none, and so the node before', '', '', 'a'],
  ])('2.10: is the class of %s', (_what, inner, outer, thread) => {
    const entry = entryOf(inSubgraphs(inner, outer));
    expect(resolveThread({ ...entry, previousNode: 'a', branch: '' })).toBe(thread);
  });

  test('is its own where there is no node before', () => {
    const entry = entryOf(programWith({}), 'jump');
    expect(resolveThread({ ...entry, previousNode: undefined, branch: '' })).toBe('b');
  });

  test('within a branch stands after the branch', () => {
    const entry = entryOf(programWith({ node: 'thread_id=impl' }));
    expect(resolveThread({ ...entry, previousNode: 'a', branch: 'fan.one' })).toBe('fan.one/impl');
  });

  test('68: no two branches share one, whatever the threads are called', () => {
    const name = fc.stringMatching(/^[a-z/%2F.]{1,6}$/);
    fc.assert(
      fc.property(
        fc.constantFrom('', 'x', 'y', 'x/y'),
        fc.constantFrom('', 'x', 'y', 'x/y'),
        name,
        name,
        (branch, otherBranch, thread, otherThread) => {
          const keyOf = (at: string, called: string) =>
            resolveThread({
              ...entryOf(programWith({ node: `thread_id="${called}"` })),
              previousNode: 'a',
              branch: at,
            });
          const same = keyOf(branch, thread) === keyOf(otherBranch, otherThread);
          expect(same).toBe(branch === otherBranch && thread === otherThread);
        },
      ),
      { numRuns: 100 },
    );
  });
});

describe('67, 5.3: the first LLM stage after a resume', () => {
  testEach(
    [
      {
        name: 'full is degraded',
        own: 'full',
        first: true,
        after: false,
        mode: 'summary:high',
        degraded: true,
      },
      {
        name: 'what follows full is too',
        own: 'compact',
        first: true,
        after: true,
        mode: 'summary:high',
        degraded: true,
      },
      {
        name: 'even where it is told more by that',
        own: 'truncate',
        first: true,
        after: true,
        mode: 'summary:high',
        degraded: true,
      },
      {
        name: 'summary:high stays as it is',
        own: 'summary:high',
        first: true,
        after: true,
        mode: 'summary:high',
        degraded: false,
      },
      {
        name: 'what has nothing to do with a session stays',
        own: 'compact',
        first: true,
        after: false,
        mode: 'compact',
        degraded: false,
      },
      {
        name: 'the next hop is as ever',
        own: 'full',
        first: false,
        after: true,
        mode: 'full',
        degraded: false,
      },
      {
        name: 'as is any later one',
        own: 'truncate',
        first: false,
        after: false,
        mode: 'truncate',
        degraded: false,
      },
      {
        name: 'a session that can be resumed is resumed',
        own: 'full',
        first: true,
        after: true,
        hasSession: true,
        mode: 'full',
        degraded: false,
      },
      {
        name: 'but it says nothing to a stage that does not share it',
        own: 'compact',
        first: true,
        after: true,
        hasSession: true,
        mode: 'summary:high',
        degraded: true,
      },
    ] as const,
    ({ own, first, after, mode, degraded, ...rest }) => {
      const hasSession = 'hasSession' in rest && rest.hasSession === true;
      const resumption = { mode: own, isFirstAfterResume: first, previousUsedFull: after, hasSession };
      expect(degradeAfterResume(resumption)).toEqual({ mode, degraded });
    },
  );
});
