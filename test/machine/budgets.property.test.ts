import { describe, expect, test } from 'vitest';
import type { Program } from '../../src/graph/program.js';
import { spentBudget } from '../../src/machine/budget.js';
import { decide } from '../../src/machine/decide.js';
import type { ExecuteEffect } from '../../src/machine/effect.js';
import type { RunEvent } from '../../src/machine/event.js';
import { evolveAll } from '../../src/machine/evolve/evolve.js';
import type { Input, InputBody } from '../../src/machine/input.js';
import { initialState, type RunState } from '../../src/machine/state.js';
import { addUsage, amountOf, noUsage, tokensOf, type Usage } from '../../src/machine/usage.js';
import { pipeline, programOf } from '../run/harness.js';
import { fc, runsOf } from '../support/fast-check.js';

const numRuns = runsOf({ quick: 30, thorough: 300 });

/** Stages in a line, around branches of two stages each; what is held against budgets is drawn. */
interface Case {
  readonly branches: number;
  readonly budget: { readonly tokens?: number; readonly usd?: number };
  readonly ofStage: number | undefined;
  /** What the requests use, in turn. */
  readonly usage: readonly Usage[];
  /** How many requests a stage makes, in turn. */
  readonly requests: readonly number[];
  readonly schedule: readonly number[];
}

const usages: fc.Arbitrary<Usage> = fc
  .record({
    input_tokens: fc.nat({ max: 300 }),
    output_tokens: fc.nat({ max: 100 }),
    cents: fc.option(fc.nat({ max: 30 }), { nil: undefined }),
  })
  .map(({ cents, ...tokens }) => ({
    requests: 1,
    ...tokens,
    ...(cents !== undefined && { cost_usd: cents / 100 }),
  }));

const cases: fc.Arbitrary<Case> = fc.record({
  branches: fc.integer({ min: 1, max: 4 }),
  budget: fc.record(
    { tokens: fc.nat({ max: 3000 }), usd: fc.nat({ max: 300 }).map((cents) => cents / 100) },
    { requiredKeys: [] },
  ),
  ofStage: fc.option(fc.integer({ min: 50, max: 600 }), { nil: undefined }),
  usage: fc.array(usages, { minLength: 1, maxLength: 8 }),
  requests: fc.array(fc.nat({ max: 4 }), { minLength: 1, maxLength: 8 }),
  schedule: fc.array(fc.nat({ max: 1000 }), { minLength: 10, maxLength: 30 }),
});

function programFor({ branches, budget, ofStage }: Case): Program {
  const numbers = Array.from({ length: branches }, (_, index) => index);
  const own = ofStage === undefined ? '' : ` [budget_tokens=${ofStage}]`;
  return programOf(
    pipeline(
      ...(budget.tokens === undefined ? [] : [`graph [budget_tokens=${budget.tokens}]`]),
      ...(budget.usd === undefined ? [] : [`graph [budget_usd=${budget.usd}]`]),
      'fan [shape=component]',
      'join [shape=tripleoctagon, prompt=""]',
      ...numbers.map((number) => `a${number}${own}`),
      'start -> first -> fan',
      ...numbers.map((number) => `fan -> a${number} -> b${number} -> join`),
      'join -> last -> exit',
    ),
  );
}

/** A stage that is under way: what it has still to ask for, and whether an answer is to come. */
interface Working {
  readonly effect: ExecuteEffect;
  left: number;
  isAsking: boolean;
}

interface Played {
  readonly events: readonly RunEvent[];
  readonly state: RunState;
  /** What budgets of the run had been used when each request began. */
  readonly usedBefore: readonly Usage[];
  /** What its stage had used of its visit when each request began. */
  readonly visitUsedBefore: readonly { readonly nodeId: string; readonly usage: Usage }[];
}

/** Plays the driver: stages ask before each request whether they may, and those that may not are suspended. */
function play(
  program: Program,
  { usage, requests, schedule }: Case,
  from: RunState,
  first: InputBody,
): Played {
  let state = from;
  let now = from.lastEventAt;
  let turn = 0;
  const next = <Item>(items: readonly Item[]): Item => items[turn % items.length] as Item;
  const events: RunEvent[] = [];
  const usedBefore: Usage[] = [];
  const visitUsedBefore: { nodeId: string; usage: Usage }[] = [];
  const working: Working[] = [];
  const feed = (body: InputBody): void => {
    now += 1;
    const input: Input = { ...body, now, random: 0.5 };
    const decision = decide(program, state, input);
    state = decision.state;
    events.push(...decision.events);
    for (const effect of decision.effects) {
      if (effect.kind === 'abort') {
        const index = working.findIndex((one) => one.effect.cursor === effect.cursor);
        if (index >= 0) working.splice(index, 1);
      } else if (effect.kind === 'execute') {
        const handler = program.nodes.get(effect.nodeId)?.handler;
        working.push({ effect, left: handler?.llm ? next(requests) : 0, isAsking: false });
      }
    }
  };
  feed(first);
  for (; working.length > 0; turn += 1) {
    const one = working[next(schedule) % working.length] as Working;
    const { cursor, index, attempt, nodeId } = one.effect;
    const place = { cursor, index, attempt };
    const reason = spentBudget(program, state, cursor);
    const node = program.nodes.get(nodeId);
    if (one.isAsking) {
      one.isAsking = false;
      one.left -= 1;
      feed({
        kind: 'stage_progress',
        ...place,
        progress: { kind: 'model_used', provider: '', model: 'm', usage: next(usage) },
      });
    } else if (node?.handler.forks) {
      working.splice(working.indexOf(one), 1);
      feed({ kind: 'fan_out', ...place });
    } else if (node?.handler.llm && one.left > 0 && reason !== undefined) {
      working.splice(working.indexOf(one), 1);
      feed({ kind: 'stage_suspended', ...place, reason });
    } else if (one.left > 0) {
      usedBefore.push(state.totalUsage);
      visitUsedBefore.push({ nodeId, usage: state.cursors.get(cursor)?.visitUsage ?? noUsage });
      one.isAsking = true;
    } else {
      working.splice(working.indexOf(one), 1);
      feed({ kind: 'stage_settled', ...place, outcome: { status: 'success' } });
    }
  }
  return { events, state, usedBefore, visitUsedBefore };
}

function sumOf(events: readonly RunEvent[]): Usage {
  return events.reduce(
    (sum, event) => (event.type === 'ModelUsed' ? addUsage(sum, event.usage) : sum),
    noUsage,
  );
}

function isSame(one: Usage, other: Usage): void {
  expect({ ...one, cost_usd: 0 }).toEqual({ ...other, cost_usd: 0 });
  expect(one.cost_usd ?? 0).toBeCloseTo(other.cost_usd ?? 0, 9);
}

const start: InputBody = { kind: 'start', runId: 'run', graphHash: 'hash', inputs: {} };

describe('whatever stages use', () => {
  test('the sums are those of the events, and no request begins once a budget of the run is used up', () => {
    fc.assert(
      fc.property(cases, (drawn) => {
        const program = programFor(drawn);
        const { events, state, usedBefore } = play(program, drawn, initialState, start);
        isSame(state.totalUsage, sumOf(events));
        isSame([...state.usage.values()].reduce(addUsage, noUsage), state.totalUsage);
        for (const used of usedBefore) {
          expect(tokensOf(used)).toBeLessThan(drawn.budget.tokens ?? Number.POSITIVE_INFINITY);
          expect(amountOf('usd', used)).toBeLessThan(drawn.budget.usd ?? Number.POSITIVE_INFINITY);
        }
        expect(['success', 'paused']).toContain(state.status);
      }),
      { numRuns },
    );
  });

  test('a run uses at most its budget and one request of each stage that is under way, however often it is resumed', () => {
    fc.assert(
      fc.property(cases, fc.nat({ max: 4 }), (drawn, resumes) => {
        const program = programFor(drawn);
        let played = play(program, drawn, initialState, start);
        const before = [...played.visitUsedBefore];
        for (let round = 0; round < resumes; round += 1) {
          played = play(program, drawn, played.state, { kind: 'resume' });
          before.push(...played.visitUsedBefore);
        }
        const { totalUsage } = played.state;
        for (const unit of ['usd', 'tokens'] as const) {
          const limit = drawn.budget[unit];
          const largest = Math.max(...drawn.usage.map((usage) => amountOf(unit, usage)));
          const most = limit === 0 ? 0 : (limit ?? Number.POSITIVE_INFINITY) + drawn.branches * largest;
          expect(amountOf(unit, totalUsage)).toBeLessThanOrEqual(most + 1e-9);
        }
        // The limit of a stage is that of its visit, which goes on when the run is resumed.
        for (const { nodeId, usage } of before.filter(({ nodeId: id }) => id.startsWith('a')))
          expect([nodeId, tokensOf(usage) < (drawn.ofStage ?? Number.POSITIVE_INFINITY)]).toEqual([
            nodeId,
            true,
          ]);
      }),
      { numRuns },
    );
  });

  test('each budget is warned of and used up once, in this order, and the state is the fold of the journal', () => {
    fc.assert(
      fc.property(cases, (drawn) => {
        const program = programFor(drawn);
        const { events, state } = play(program, drawn, initialState, start);
        const said = events.flatMap((event) =>
          (event.type === 'BudgetWarning' || event.type === 'BudgetExceeded') && event.scope === 'run'
            ? [`${event.unit} ${event.type}`]
            : [],
        );
        expect(new Set(said).size).toBe(said.length);
        for (const unit of ['usd', 'tokens']) {
          const exceeded = said.indexOf(`${unit} BudgetExceeded`);
          if (exceeded >= 0) expect(said.slice(0, exceeded)).toContain(`${unit} BudgetWarning`);
        }
        const folded = evolveAll(
          program,
          initialState,
          JSON.parse(JSON.stringify(events)),
          (_event, error) => {
            throw error;
          },
        );
        expect(folded.totalUsage).toEqual(state.totalUsage);
        expect(folded.reportedBudgets).toEqual(state.reportedBudgets);
        expect(new Map(folded.usage)).toEqual(new Map(state.usage));
        expect([...folded.unpricedModels.keys()]).toEqual([...state.unpricedModels.keys()]);
      }),
      { numRuns },
    );
  });

  test('continues from any prefix of its journal with a larger budget, and does nothing again that had finished', () => {
    fc.assert(
      fc.property(cases, fc.nat(), (drawn, place) => {
        const program = programFor(drawn);
        const { events } = play(program, drawn, initialState, start);
        const prefix = events.slice(0, 1 + (place % events.length));
        const cut = evolveAll(program, initialState, prefix, (_event, error) => {
          throw error;
        });
        const done = prefix.flatMap((event) => (event.type === 'StageCompleted' ? [event.node_id] : []));
        const frugal = {
          ...drawn,
          requests: [1],
          usage: [{ requests: 1, input_tokens: 1, output_tokens: 0 }],
        };
        const ids = Array.from({ length: drawn.branches }, (_, number) => `a${number}`);
        const stageBudgets = Object.fromEntries(ids.map((id) => [id, { tokens: 1e9 }]));
        const resume: InputBody = { kind: 'resume', budgetUsd: 1e6, budgetTokens: 1e9, stageBudgets };
        const played = play(program, frugal, cut, resume);
        expect(played.state.status).toBe('success');
        const again = played.events.flatMap((event) =>
          event.type === 'StageStarted' ? [event.node_id] : [],
        );
        expect(again.filter((id) => done.includes(id))).toEqual([]);
        isSame(played.state.totalUsage, addUsage(sumOf(prefix), sumOf(played.events)));
      }),
      { numRuns },
    );
  });
});
