import { describe, expect, test, vi } from 'vitest';
import type { Program } from '../../src/graph/program.js';
import type { RunEvent } from '../../src/machine/event.js';
import { evolve, evolveAll } from '../../src/machine/evolve/evolve.js';
import type { Outcome } from '../../src/machine/outcome.js';
import { initialState, mainCursor, type RunState } from '../../src/machine/state.js';
import {
  type Drive,
  type DriveSetup,
  drive,
  eventsOf,
  failingBranches,
  listOf,
  type Outcomes,
  pipeline,
  programOf,
} from '../run/harness.js';
import { fc, runsOf } from '../support/fast-check.js';
import {
  outcomeSequences,
  pipelinesOfCopies,
  pipelinesOfEdges,
  type SamePipelines,
} from './arbitrary-program.js';

// A list of n items is the same as n branches that somebody writes down (SEMANTICS 106): for any program, any outcomes and any
// schedule, event for event, also of runs that were cut off, and that failed and were resumed.

/** How many pairs of pipelines each property is tried with. */
const numRuns = runsOf({ quick: 6, thorough: 120 });

vi.setConfig({ testTimeout: 120_000 + 5000 * numRuns });

/** The two, as they are to be run. */
interface Pair {
  readonly lists: Program;
  readonly branches: Program;
  /** A run of one of them, in the same schedule for the same seed. */
  run(program: Program, seed: number, from?: RunState): Drive;
}

function forPairs(family: fc.Arbitrary<SamePipelines>, check: (pair: Pair, seed: number) => void): void {
  fc.assert(
    fc.property(family, outcomeSequences, fc.nat(), (texts, sequence, seed) => {
      const pair: Pair = {
        lists: programOf(texts.lists, [], failingBranches),
        branches: programOf(texts.branches, [], failingBranches),
        run: (program, schedule, from) =>
          drive(program, outcomesOf(sequence), { pick: randomFrom(schedule), ...(from && { from }) }),
      };
      check(pair, seed);
    }),
    { numRuns },
  );
}

/** Outcomes by what a stage is, not by its name: the number in it, its branch, its visit there and its attempt. */
function outcomesOf(sequence: readonly Outcome[]): Outcomes {
  return (nodeId, _execution, { cursor, lineVisit, attempt }, state) => {
    if (nodeId === 'start' || nodeId === 'exit') return { status: 'success' };
    const place = [...branchOf(state, cursor)].reduce(
      (sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 9973,
      7,
    );
    const outcome =
      sequence[(place + Number(nameOf(nodeId).slice(1)) + lineVisit + attempt) % sequence.length];
    return outcome && withCopies(outcome, nodeId);
  };
}

/** Outcome in which the copy of a stage suggests copies. */
function withCopies(outcome: Outcome, nodeId: string): Outcome {
  const { suggested_next_ids: ids } = outcome;
  if (ids === undefined) return outcome;
  const numbers = nodeId.split('_').slice(1);
  const copies = numbers.map((_, index) => numbers.slice(0, index + 1).join('_'));
  return {
    ...outcome,
    suggested_next_ids: ids.flatMap((id) => [id, ...copies.map((copy) => `${id}_${copy}`)]),
  };
}

function randomFrom(seed: number): NonNullable<DriveSetup['pick']> {
  let state = seed >>> 0;
  return (count) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * count);
  };
}

/** Name of a node without the number of its copy: `n3_1_2` is a copy of `n3`. */
function nameOf(id: string): string {
  return id.replace(/_.*$/, '');
}

/** A branch by the parallel nodes around it, and by its number among theirs. */
function branchOf({ cursors }: RunState, id: string): string {
  const branch = cursors.get(id)?.branch;
  if (branch === undefined) return '';
  return `${branchOf({ cursors } as RunState, branch.parent)}/${nameOf(branch.parallelId)}:${branch.index}`;
}

/** Fields of events that tell only how a branch was written down, or that say the rest in words. */
const ofWriting = new Set(['description', 'items', 'item', 'edge', 'parallel.items']);

/**
 * Events with the names of nodes and branches that both ways of writing share.
 * @param more fields that differ as well
 */
function essenceOf(program: Program, events: readonly RunEvent[], more: readonly string[]) {
  const names = new Map<string, string>();
  let state = initialState;
  return events.map((event) => {
    state = evolve(program, state, event);
    if (event.type === 'ParallelBranchStarted') names.set(event.branch, branchOf(state, event.branch));
    return plain(event, new Set([...ofWriting, ...more]), names);
  });
}

/** A value without what hangs on names. */
function plain(value: unknown, left: ReadonlySet<string>, names: ReadonlyMap<string, string>): unknown {
  // In reasons too, in quotes.
  if (typeof value === 'string') return value.replaceAll(/\b([npj]\d+)(?:_\d+)*(?:#\d+)?/g, '$1');
  if (Array.isArray(value)) return value.map((member) => plain(member, left, names));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(
    ([key]) => !left.has(key) && !key.startsWith('item_') && key !== 'work.index',
  );
  return Object.fromEntries(
    entries.map(([key, member]) => {
      const branch = isBranch(key) && typeof member === 'string' ? names.get(member) : undefined;
      return [key, branch ?? plain(member, left, names)];
    }),
  );
}

function isBranch(key: string): boolean {
  return key === 'branch' || key === 'parent';
}

/** What a run has come to. */
function endOf({ status, failure, cursors, restarts, goalGateRedirects, logs }: RunState): unknown {
  const { context, completed, updates, phase, nodeId, steps } = cursors.get(mainCursor) ?? {};
  const end = {
    status,
    failure,
    restarts,
    goalGateRedirects,
    logs: logs.toArray(),
    context: context && Object.fromEntries(context),
    updates: updates && Object.fromEntries(updates),
    completed: completed?.toArray(),
    phase,
    nodeId,
    steps,
    cursors: cursors.size,
  };
  return plain(end, ofWriting, new Map());
}

/** Some of the numbers from 1 to `count - 1`. */
function someBelow(count: number, wanted: number): readonly number[] {
  const stride = Math.max(1, Math.ceil((count - 1) / wanted));
  return Array.from({ length: Math.max(0, count - 1) }, (_, index) => index + 1).filter(
    (number) => number % stride === 0,
  );
}

const families = [
  { name: 'edges to the same stage', family: pipelinesOfEdges, differs: [] },
  // The visits of a stage are counted by its name, and who suggests a stage names each of its copies.
  { name: 'copies of the branch', family: pipelinesOfCopies, differs: ['visit', 'suggested_next_ids'] },
] as const;

describe.each(families)('106: a list of n items is the same as n $name', ({ family, differs }) => {
  test('106: event for event, to the same end', () => {
    let items = 0;
    forPairs(family, ({ lists, branches, run }, seed) => {
      const [listed, written] = [run(lists, seed), run(branches, seed)];
      expect(essenceOf(lists, listed.events, differs)).toEqual(essenceOf(branches, written.events, differs));
      expect(endOf(listed.state)).toEqual(endOf(written.state));
      items += eventsOf(listed.events, 'ParallelStarted').filter((event) => event.items !== undefined).length;
    });
    expect(items).toBeGreaterThan(numRuns / 4);
  });

  test('106, 66b: resumed after it has failed', () => {
    let resumed = 0;
    forPairs(family, ({ lists, branches, run }, seed) => {
      const [listed, written] = [run(lists, seed), run(branches, seed)];
      if (listed.state.status !== 'fail') return;
      resumed += 1;
      const [more, same] = [run(lists, seed + 1, listed.state), run(branches, seed + 1, written.state)];
      expect(essenceOf(lists, [...listed.events, ...more.events], differs)).toEqual(
        essenceOf(branches, [...written.events, ...same.events], differs),
      );
      expect(endOf(more.state)).toEqual(endOf(same.state));
    });
    expect(resumed).toBeGreaterThan(numRuns / 10);
  });

  test('106, 66: cut off after any event, and continued', () => {
    forPairs(family, ({ lists, branches, run }, seed) => {
      const [listed, written] = [run(lists, seed), run(branches, seed)];
      for (const kept of someBelow(listed.events.length, 6)) {
        const [before, sameBefore] = [listed.events.slice(0, kept), written.events.slice(0, kept)];
        const [state, same] = [fold(lists, before), fold(branches, sameBefore)];
        if (state.status !== 'running') continue;
        const [more, sameMore] = [run(lists, seed + kept, state), run(branches, seed + kept, same)];
        expect(essenceOf(lists, [...before, ...more.events], differs)).toEqual(
          essenceOf(branches, [...sameBefore, ...sameMore.events], differs),
        );
        expect(endOf(more.state)).toEqual(endOf(sameMore.state));
      }
    });
  });
});

/** More items than the random pipelines have, of a branch with a loop. */
const wide = fc.record({
  items: fc.integer({ min: 3, max: 100 }),
  maxParallel: fc.integer({ min: 1, max: 64 }),
  join: fc.constantFrom(
    'join_policy=wait_all',
    'join_policy=k_of_n, join_k=3',
    'join_policy=quorum, join_quorum=0.5',
    'join_policy=first_success',
  ),
  errors: fc.constantFrom('continue', 'ignore', 'fail_fast'),
});

test('106: a list of up to a hundred items, up to 64 at once, is the same as a hundred edges, under all policies', () => {
  fc.assert(
    fc.property(wide, outcomeSequences, fc.nat(), ({ items, maxParallel, join, errors }, sequence, seed) => {
      const written = (foreach: string, edges: string): Program =>
        programOf(
          pipeline(
            `p0 [shape=component, join=j3, max_parallel=${maxParallel}, ${join}, error_policy=${errors}${foreach}]`,
            'j3 [shape=tripleoctagon, prompt=""]',
            `start -> p0; ${edges}; n1 -> n2 -> j3 -> exit`,
            'n2 -> n1 [condition="context.n=2"]; n1 [max_visits=3, on_failure=continue]',
          ),
        );
      const lists = written(`, foreach="\${inputs.${listOf(items)}}"`, 'p0 -> n1');
      const branches = written('', Array.from({ length: items }, () => 'p0 -> n1').join('; '));
      const run = (program: Program): Drive =>
        drive(program, outcomesOf(sequence), { pick: randomFrom(seed) });
      const [listed, same] = [run(lists), run(branches)];
      expect(essenceOf(lists, listed.events, [])).toEqual(essenceOf(branches, same.events, []));
      expect(endOf(listed.state)).toEqual(endOf(same.state));
    }),
    { numRuns },
  );
});

function fold(program: Program, events: readonly RunEvent[]): RunState {
  return evolveAll(program, initialState, events, (_event, error) => {
    throw error;
  });
}
