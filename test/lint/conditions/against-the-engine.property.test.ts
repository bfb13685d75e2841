import { describe, expect, test } from 'vitest';
import { knownHandlerTypes } from '../../../src/graph/known-handler-types.js';
import type { Program } from '../../../src/graph/program.js';
import { coverageOf } from '../../../src/lint/conditions/coverage.js';
import { deadEdges } from '../../../src/lint/conditions/dead-edges.js';
import { type Route, routesOf } from '../../../src/lint/conditions/routes-of.js';
import { stageEdges } from '../../../src/lint/conditions/stage-edges.js';
import { evolve } from '../../../src/machine/evolve/evolve.js';
import type { Outcome } from '../../../src/machine/outcome.js';
import { type Cursor, initialState, mainCursor } from '../../../src/machine/state.js';
import { drive, pipeline, programOf } from '../../run/harness.js';
import { fc, runsOf } from '../../support/fast-check.js';
import { conditionTexts, values } from './arbitrary.js';

const numRuns = runsOf({ quick: 20, thorough: 200 });
const handlerTypes = knownHandlerTypes();

const ids = ['n0', 'n1', 'n2', 'n3'] as const;
const statuses = ['success', 'partial_success', 'fail', 'skipped'] as const;

const edge = fc.record({
  to: fc.constantFrom(...ids, 'exit'),
  condition: fc.option(
    fc.oneof(
      {
        arbitrary: fc.constantFrom('outcome=success', 'outcome=fail', 'outcome!=fail', 'outcome!=success'),
        weight: 2,
      },
      { arbitrary: conditionTexts, weight: 1 },
    ),
    { nil: undefined },
  ),
  label: fc.option(fc.constantFrom('Go', '[G] go', 'Stop'), { nil: undefined }),
  weight: fc.option(fc.integer({ min: -1, max: 1 }), { nil: undefined }),
});

const node = fc.record({
  shape: fc.constantFrom('box', 'box', 'diamond', 'parallelogram'),
  retry_target: fc.option(fc.constantFrom(...ids), { nil: undefined }),
  on_failure: fc.option(fc.constantFrom('stop', 'continue'), { nil: undefined }),
  edges: fc.array(edge, { minLength: 1, maxLength: 4 }),
});

const pipelines = fc
  .array(node, { minLength: ids.length, maxLength: ids.length })
  .map((nodes) =>
    pipeline(
      'graph [max_steps=25]',
      'start -> n0',
      ...nodes.flatMap(({ edges, ...attributes }, index) => [
        `${ids[index]} [tool_command="true", ${written(attributes)}]`,
        `${ids[index]} -> ${ids[(index + 1) % ids.length]} [condition="context.never_set=1"]`,
        `${ids[index]} -> exit [condition="context.never_set=2"]`,
        ...edges.map(({ to, ...more }) => `${ids[index]} -> ${to} [${written(more)}]`),
      ]),
    ),
  );

function written(attributes: object): string {
  return Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${JSON.stringify(String(value))}`)
    .join(', ');
}

const present = values.filter((value) => value !== undefined);

const outcomes: fc.Arbitrary<readonly Outcome[]> = fc.array(
  fc.record(
    {
      status: fc.constantFrom(...statuses),
      preferred_label: fc.constantFrom('Go', 'stop', 'x'),
      suggested_next_ids: fc.array(fc.constantFrom(...ids, 'exit'), { maxLength: 2 }),
      context_updates: fc.record(
        {
          a: fc.constantFrom(...present),
          n: fc.constantFrom(...present),
          'inputs.b': fc.constantFrom(...present),
        },
        { requiredKeys: [] },
      ),
    },
    { requiredKeys: ['status'] },
  ),
  { minLength: 4, maxLength: 12 },
);

/** What a run did at a node that had settled. */
interface Departure {
  readonly nodeId: string;
  readonly outcome: Outcome;
  readonly took: { readonly edge: number | undefined; readonly to: string } | 'fail';
}

function departuresOf(program: Program, sequence: readonly Outcome[]): readonly Departure[] {
  const { events } = drive(program, (nodeId, execution) => {
    if (nodeId === 'start' || nodeId === 'exit') return { status: 'success' };
    const outcome = sequence[execution % sequence.length];
    // A diamond itself does nothing.
    return program.nodes.get(nodeId)?.handler.inheritsOutcome ? { status: 'success' } : outcome;
  });
  const departures: Departure[] = [];
  let state = initialState;
  for (const event of events) {
    const cursor: Cursor | undefined = state.cursors.get(mainCursor);
    const outcome = cursor?.routedOutcome;
    if (event.type === 'EdgeSelected' && event.reason !== 'goal_gate' && outcome !== undefined) {
      departures.push({ nodeId: event.from, outcome, took: { edge: event.edge, to: event.to } });
    }
    if (event.type === 'PipelineFailed' && cursor?.phase === 'settled' && outcome !== undefined) {
      if (!/max_steps|terminal/.test(event.error))
        departures.push({ nodeId: cursor.nodeId, outcome, took: 'fail' });
    }
    state = evolve(program, state, event);
  }
  return departures;
}

function isTaken(way: Route, { took }: Departure): boolean {
  if (took === 'fail') return way.kind === 'fail';
  if ('edge' in way) return way.edge.index === took.edge;
  return took.edge === undefined && way.kind === 'jump' && way.target.nodeId === took.to;
}

function forRuns(check: (program: Program, departure: Departure) => void): number {
  let count = 0;
  fc.assert(
    fc.property(pipelines, outcomes, (text, sequence) => {
      const program = programOf(text);
      for (const departure of departuresOf(program, sequence)) {
        if (departure.nodeId === 'start') continue;
        count += 1;
        check(program, departure);
      }
    }),
    { numRuns },
  );
  return count;
}

describe('a run of the machine', () => {
  test('never takes an edge that is said to be dead', () => {
    const dead = new WeakMap<Program, ReadonlySet<number>>();
    let found = 0;
    const deadOf = (program: Program): ReadonlySet<number> => {
      const known = dead.get(program);
      if (known !== undefined) return known;
      const handlerOf = (id: string) => program.nodes.get(id)?.handler;
      const all = [...stageEdges(program.graph, handlerTypes).values()].flatMap((ways) =>
        deadEdges(ways, handlerOf),
      );
      found += all.length;
      const indices = new Set(all.map((one) => one.edge.index));
      dead.set(program, indices);
      return indices;
    };
    const count = forRuns((program, { took }) => {
      if (took !== 'fail' && took.edge !== undefined) expect(deadOf(program)).not.toContain(took.edge);
    });
    expect(count).toBeGreaterThan(0);
    expect(found).toBeGreaterThan(0);
  });

  test('never gets stuck where the conditions are said to leave no hole', () => {
    let whole = 0;
    forRuns((program, { nodeId, outcome, took }) => {
      const ways = stageEdges(program.graph, handlerTypes).get(nodeId);
      if (ways === undefined || ways.plain.length > 0 || ways.conditions === undefined) return;
      if (coverageOf(ways, new Set(statuses)).kind !== 'exhaustive') return;
      whole += 1;
      const isTyped = /[<>]|true|false/.test(ways.conditional.map((one) => one.conditionText).join());
      if (outcome.status !== 'fail' && !isTyped) expect(took).not.toBe('fail');
    });
    expect(whole).toBeGreaterThan(0);
  });

  test('goes one of the ways that are told, and not past one that always applies', () => {
    const count = forRuns((program, departure) => {
      const routes = routesOf(program.graph, departure.nodeId, handlerTypes);
      const on = routes?.outcomes.find(({ outcome }) => outcome === departure.outcome.status);
      expect(on?.routes.filter((way) => isTaken(way, departure)).length).toBeGreaterThan(0);
    });
    expect(count).toBeGreaterThan(0);
  });
});
