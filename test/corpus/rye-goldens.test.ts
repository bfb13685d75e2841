import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../src/graph/json.js';
import type { Handler } from '../../src/handlers/handler.js';
import { migrate } from '../../src/importers/migrate.js';
import type { RunResult } from '../../src/view/run-result.js';
import { pipeline, runOnDisk, runPipeline } from '../run/harness.js';
import { type Exception, hasSamples, sampleJson, sampleText, withExceptions } from './samples.js';

type Values = Readonly<Record<string, JsonValue>>;

interface Interpolation {
  readonly context: { readonly state: Values; readonly result: Values; readonly inputs: Values };
  readonly cases: readonly { readonly template: JsonValue; readonly expected: JsonValue }[];
}

interface Recording {
  readonly graph: string;
  readonly params: Values;
  readonly result: {
    readonly success: boolean;
    readonly error?: string | null;
    readonly node?: string;
    readonly state?: Values;
  };
}

const interpolation = hasSamples
  ? (sampleJson('rye/golden/real_interpolation.json') as Interpolation)
  : { context: { state: {}, result: {}, inputs: {} }, cases: [] };

/** Templates that mean something else here, by what they are, and why. */
const otherTemplates: ReadonlyMap<JsonValue, Exception> = new Map([
  [
    '{input:no:def}',
    { ours: '{input:no:def}', why: 'an old spelling of Rye, which only an importer has to know' },
  ],
  ['$${state.n}', { ours: '${state.n}', why: '`$${` is how a text that has `${` itself is written' }],
]);

describe.skipIf(!hasSamples)('a template that Rye has filled in', () => {
  const { context, cases } = interpolation;
  it.each(cases)('is the same here: $template', async ({ template, expected }) => {
    const dot = pipeline(`a [type=custom, "assign.out"=${JSON.stringify(template)}]; start -> a -> exit`);
    const { result } = await runPipeline(dot, {
      inputs: { ...context.state, ...context.inputs },
      handlers: { custom: () => ({ status: 'success', context_updates: context.result }) },
    });
    expect(result.context.out).toEqual((otherTemplates.get(template) ?? { ours: expected }).ours);
  });
});

/** What of the run of a migrated graph is compared. */
interface Comparison {
  /** Values of the run under the names that they have there. */
  readonly values: (result: RunResult) => Values;
  readonly recorded: (state: Values) => Values;
  /** What the surroundings of the recording had, and this test has not. */
  readonly adjust?: (dot: string) => string;
  readonly exceptions?: Readonly<Record<string, Exception>>;
}

const nothing = (): Values => ({});
const keys = (...names: readonly string[]): Pick<Comparison, 'values' | 'recorded'> => ({
  values: ({ context }) => Object.fromEntries(names.map((name) => [name, context[name] ?? null])),
  recorded: (state) => Object.fromEntries(names.map((name) => [name, state[name] ?? null])),
});
const withLastFailure = (...names: readonly string[]): Pick<Comparison, 'values' | 'recorded'> => ({
  values: (result) => ({ ...keys(...names).values(result), node: lastFailure(result.context).node ?? null }),
  recorded: (state) => ({
    ...keys(...names).recorded(state),
    node: (state._last_error as Values | undefined)?.node ?? null,
  }),
});

const python = 'lists and truth values in a text are written as JSON, not as Python writes them';
const echo = join(import.meta.dirname, 'echo-tool.mjs');

const comparisons: Readonly<Record<string, Comparison>> = {
  err_fail_default: withLastFailure('x'),
  err_edge: withLastFailure('h'),
  err_edge_beats_continue: withLastFailure('h'),
  err_continue_skips_assign: withLastFailure('x', 'y'),
  gate: keys('seen', 'e', 'score', 'priority'),
  perm_exact: keys('a'),
  foreach_seq: {
    values: ({ context }) => ({ items: context.items ?? null, res: outputsOf(context.res) }),
    recorded: ({ items, res }) => ({ items: items ?? null, res: stdoutsOf(res) }),
  },
  foreach_parallel: {
    values: ({ context }) => ({ items: context.items ?? null, res: outputsOf(context.res) }),
    recorded: ({ items, res }) => ({ items: items ?? null, res: stdoutsOf(res) }),
  },
  retry_hook_000_shape: {
    adjust: (dot) => dot.replace('n=$(cat n', String.raw`cd \"$$ATTRACTOR_STAGE_DIR\"; n=$$(cat n`),
    ...keys('out'),
  },
  retry_hook_exhausted: { values: nothing, recorded: nothing },
  max_steps: {
    values: nothing,
    recorded: nothing,
    exceptions: { node: { ours: 'b', why: 'the failure names the stage that the limit kept from running' } },
  },
  foreach_not_list: {
    values: nothing,
    recorded: nothing,
    exceptions: {
      success: { ours: false, why: 'a list that is none is a failure, not an empty list' },
      node: { ours: 'f', why: 'it fails where the list is read' },
    },
  },
  types: {
    adjust: (dot) => dot.replace('.ai/tools/x/echo', `${process.execPath} ${echo}`),
    ...keys('n', 'l', 'd', 'b', 'n2', 'mix', 'mm', 'gone', 'lit', 'nest'),
    exceptions: { mix: { ours: 'n=3 l=[1,2] b=true', why: python } },
  },
};

function outputsOf(results: JsonValue | undefined): JsonValue {
  return (results as readonly Values[]).map((result) => result['tool.output'] ?? null);
}

function stdoutsOf(results: JsonValue | undefined): JsonValue {
  return (results as readonly Values[]).map(({ stdout }) => stdout ?? null);
}

function migrated(graph: string): string {
  const result = migrate(sampleText(`rye/${graph}.yaml`))?.result;
  if (result?.kind !== 'migrated') throw new Error(`not migrated: ${graph}`);
  return result.text;
}

function lastFailure(context: Values): Values {
  return (context['internal.last_failure'] ?? {}) as Values;
}

/** Recordings that no translation could equal, and why. */
const elsewhere: Readonly<Record<string, string>> = {
  no_next: 'a defect there, which its index names: a node without an edge is a finding of lint here',
  inputs_required: 'below: the run is refused',
  perm_denied: 'permissions are not part of the language',
  perm_missing: 'permissions are not part of the language',
  limit_hook: 'hooks that observe a run are not part of the language',
  retry_hook_conditioned_transient: 'hooks that observe a run are not part of the language',
  'gate#validate': 'a validation, not a run: lint has rules of its own',
  'hooks_order#node=nope': 'a run begins at its start; `fork --at` checks its node',
};

const recordings = hasSamples
  ? (sampleJson('rye/golden/real_walker_synthetic.json') as readonly Recording[])
  : [];

describe.skipIf(!hasSamples)('a run that Rye has recorded', () => {
  const compared = recordings.filter(({ graph }) => elsewhere[graph] === undefined);

  it.each(compared)('is the same here: $graph', async ({ graph, params, result }) => {
    const comparison = comparisons[graph];
    if (comparison === undefined)
      throw new Error(`nothing is compared of ${graph}, and there is no reason why`);
    const { adjust = (dot) => dot, values, recorded, exceptions } = comparison;
    const run = await runOnDisk(adjust(migrated(`synthetic/${graph}`)), { inputs: params });
    const { success, node = null, state = {} } = result;
    const wanted = { success, node: node ?? null, ...recorded(state) };
    const seen = {
      success: run.result.status === 'success',
      node: run.result.status === 'success' ? null : (run.result.failed_node ?? null),
      ...values(run.result),
    };
    expect(seen).toEqual(withExceptions(wanted, exceptions));
  });

  it('is refused here too where an input is missing', async () => {
    await expect(runPipeline(migrated('synthetic/inputs_required'))).rejects.toThrow(
      'who: expected a string, but it is not given',
    );
  });
});

interface RealRun {
  readonly graph: string;
  readonly params: Values;
  readonly result: { readonly success: boolean; readonly state: Values };
  readonly events: readonly { readonly event_type: string; readonly node?: string }[];
  readonly stderr: readonly string[];
}

const realRuns = hasSamples ? (sampleJson('rye/golden/real_walker_runs.json') as readonly RealRun[]) : [];

describe.skipIf(!hasSamples)('a real graph that Rye has run', () => {
  it.each(realRuns)('takes the same way here: $graph', async ({ graph, params, result, events, stderr }) => {
    const steps = new Map(
      stderr.flatMap((line) => {
        const [, step, node] = /step (\d+)\/\d+ (\S+)/.exec(line) ?? [];
        return step === undefined || node === undefined ? [] : [[Number(step), node] as const];
      }),
    );
    const started = new Set(
      events.flatMap(({ event_type, node }) => (event_type === 'step_started' && node) || []),
    );
    const completed = new Set(
      events.flatMap(({ event_type, node }) => (event_type === 'step_completed' && node) || []),
    );
    const failed = [...started].filter((node) => !completed.has(node) && node !== 'done');
    // Every stage says what it said in the recording.
    const canned: Handler['execute'] = ({ node }) => {
      if (failed.includes(node.id)) return { status: 'fail', failure_reason: 'as recorded' };
      const said = [...node.attributes].find(([, { value }]) => value === '${tool.output}')?.[0];
      const output = said === undefined ? '' : (result.state[said.replace('assign.', '')] ?? '');
      return { status: 'success', context_updates: { 'tool.output': output, last_response: 'canned' } };
    };
    const { result: seen } = await runPipeline(migrated(`yaml/${graph}`), {
      inputs: Object.fromEntries(
        Object.entries(params).filter(([name]) => name !== 'capabilities' && name !== 'depth'),
      ),
      handlers: { tool: canned, codergen: canned, pipeline: canned },
    });
    const nodes = new Set(steps.values());
    expect(seen.status).toBe(result.success ? 'success' : 'fail');
    expect(seen.path.filter((id) => nodes.has(id) && id !== 'done')).toEqual(
      [...steps.values()].filter((id) => id !== 'done'),
    );
  });
});
