import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { compile } from '../../src/compiler/compile.js';
import type { JsonValue } from '../../src/graph/json.js';
import type { Handler } from '../../src/handlers/handler.js';
import { translateExpression } from '../../src/importers/hive/hive-conditions.js';
import { migrate } from '../../src/importers/migrate.js';
import { systemClock } from '../../src/run/driver/clock.js';
import { eventsOf, pipeline, runPipeline } from '../run/harness.js';
import { type HiveGraph, type HiveParallel, hiveIdOf, hivePipeline } from './hive.js';
import { type Exception, hasSamples, sampleJson, sampleText, withExceptions } from './samples.js';

type Values = Readonly<Record<string, JsonValue>>;

/** What a node does at one of its executions; the last entry goes on. */
interface Step {
  readonly output?: Values;
  readonly success?: boolean;
  readonly error?: string;
  /** In seconds. */
  readonly delay?: number;
}

interface Recording {
  readonly graph: string;
  readonly case: string;
  readonly script: Readonly<Record<string, readonly Step[]>>;
  readonly input: Values;
  readonly parallel_config: HiveParallel;
  readonly parallel: boolean;
  /** Node before which a person has paused the run. */
  readonly pause_after: string | null;
  readonly result: {
    readonly success: boolean;
    readonly output: Values;
    readonly path: readonly string[];
    readonly paused_at: string | null;
    readonly total_retries: number;
    readonly execution_quality: string;
  };
  readonly executions: Readonly<Record<string, number>>;
  readonly inputs_seen: Readonly<Record<string, readonly Values[]>>;
}

/** What is compared of a run. */
interface Seen {
  readonly status: 'success' | 'fail' | 'paused';
  readonly quality: string;
  readonly path: readonly string[];
  readonly values: Values;
  readonly executions: Readonly<Record<string, number>>;
  readonly inputs: Readonly<Record<string, readonly Values[]>>;
}

/** Fields of a run with the same reason. */
function differing(why: string, fields: Partial<Seen>): Readonly<Record<string, Exception>> {
  return Object.fromEntries(Object.entries(fields).map(([field, ours]) => [field, { ours, why }]));
}

const branchOrder = 'the order of the edges decides which of two values remains, not which branch ends first';
const failedBranch = 'a run with a failed branch is degraded, whatever the join tolerates';

const exceptions: Readonly<Record<string, Readonly<Record<string, Exception>>>> = {
  cycle_visits: differing('a visit above `max_visits` fails the run: it is not passed over', {
    status: 'fail',
    quality: 'failed',
    path: ['a', 'b'],
    executions: { a: 1, b: 1 },
    inputs: { a: [{}], b: [{}] },
  }),
  stale_nullable: differing('a key that is cleared is absent, not null', {
    values: { final_summary: 'done', pp: 1, e: 1 },
  }),
  always_vs_conditional: differing('edges of an ordinary stage are a choice; branches need a parallel node', {
    path: ['a', 'c'],
    values: { x: 5, cc: 1 },
    executions: { a: 1, c: 1, d: 0 },
    inputs: { a: [{}], c: [{}], d: [] },
  }),
  'fanout#wait_all': differing(failedBranch, { quality: 'degraded' }),
  'fanout#timeout_continue_others': differing(failedBranch, { quality: 'degraded' }),
  'fanout#conflict_first_wins': differing(branchOrder, {
    values: { data: 'x', b1_out: 1, b2_out: 2, m: 3, shared: 'from_b1' },
  }),
  'direct_key#false': differing(
    'a stage whose edges all have conditions that do not hold is a failure, not an end',
    {
      status: 'fail',
      quality: 'failed',
    },
  ),
};

const graphOf = (file: string) => sampleJson(`hive/graphspec/${file}`) as HiveGraph;
const recordings = hasSamples
  ? (sampleJson('hive/golden/real_executor_runs.json') as readonly Recording[])
  : [];
const runs = recordings.filter(({ result }) => result !== undefined);

describe.skipIf(!hasSamples)('a run that Hive has recorded', () => {
  it.each(runs)('is the same here: $case', async (recording) => {
    expect(await replayed(recording)).toEqual(
      withExceptions(recorded(recording), exceptions[recording.case]),
    );
  });
});

/** Findings of lint where Hive refuses a graph. */
const refusals: Readonly<Record<string, readonly string[]>> = {
  invalid_overlap: ['parallel_writes_overlap'],
};

describe.skipIf(!hasSamples)('a graph that Hive refuses', () => {
  const refused = recordings.filter(({ result }) => result === undefined);
  it.each(refused.filter(({ case: name }) => refusals[name] !== undefined))(
    'has a finding here: $case',
    ({ case: name, graph }) => {
      const dot = hivePipeline(graphOf(graph)).replaceAll('on_conflict=last_wins', 'on_conflict=isolate');
      const rules = compile(dot).diagnostics.map(({ rule }) => rule);
      expect(rules).toEqual(expect.arrayContaining([...(refusals[name] ?? [])]));
    },
  );

  it.each(refused.filter(({ case: name }) => refusals[name] === undefined))(
    'is refused or named: $case',
    ({ graph }) => {
      const result = migrate(sampleText(`hive/graphspec/${graph}`))?.result;
      const messages =
        result?.kind === 'migrated'
          ? result.notes.map(({ message }) => message)
          : result?.diagnostics.map(({ message }) => message);
      expect(messages?.join('\n')).toMatch(
        /which is not a node|there is no such node|nothing leads to|nothing leaves/,
      );
    },
  );
});

interface Evaluation {
  readonly memory: Values;
  readonly cases: readonly { readonly expr: string; readonly truthy?: boolean; readonly edge?: boolean }[];
}

const evaluation = hasSamples
  ? (sampleJson('hive/golden/real_safe_eval.json') as Evaluation)
  : { memory: {}, cases: [] };

/** Expressions that no condition here can be: their edges are never taken, and migration says so. */
const withoutCounterpart: ReadonlySet<string> = new Set([
  ...['x if y else z', '(1).__class__', 'lambda: 1', 'd.k', 'x ** 2 == 25', 'max(1,2)', 'any(items)'],
]);

/** Expressions that Hive evaluates otherwise, and why. */
const otherValues: ReadonlyMap<string, string> = new Map([
  ['confidence >= 0.7', 'a number in a text is a number, and no error'],
  ['confidence >= 0.8', 'a number in a text is a number, and no error'],
]);

describe.skipIf(!hasSamples)('an expression that Hive has evaluated', () => {
  const { memory, cases } = evaluation;
  it.each(cases)('is the same here: $expr', async ({ expr, truthy, edge }) => {
    const translated = translateExpression(expr, new Set(Object.keys(memory)));
    expect(translated === undefined).toBe(withoutCounterpart.has(expr));
    if (translated === undefined) return;
    const dot = pipeline(
      'a [shape=diamond]; yes [shape=diamond]; start -> a; yes -> exit',
      `a -> yes [condition=${JSON.stringify(translated.condition)}]; a -> exit`,
    );
    const { result } = await runPipeline(dot, { inputs: memory });
    const expected = otherValues.has(expr) ? true : (truthy ?? edge ?? false);
    expect(result.path.includes('yes')).toBe(expected);
  });
});

describe.skipIf(!hasSamples)('keys that an edge renames', () => {
  it('are assigned by the stage before: input_mapping', async () => {
    const seen: unknown[] = [];
    const custom: Handler['execute'] = ({ node, context }) => {
      seen.push([node.id, context.get('value') ?? null]);
      const outputs = {
        intake: { captured: 1 },
        transform: { transformed: [2] },
        output: { result: 3 },
      };
      return { status: 'success', context_updates: outputs[node.id as keyof typeof outputs] };
    };
    const { result } = await runPipeline(hivePipeline(graphOf('input_mapping.json')), {
      inputs: { raw: 'x' },
      handlers: { codergen: custom },
    });
    expect(result).toMatchObject({ status: 'success', context: { value: [2], result: 3 } });
    expect(seen).toEqual([
      ['intake', null],
      ['transform', 1],
      ['output', [2]],
    ]);
  });
});

function recorded({ result, executions, inputs_seen: inputs }: Recording): Seen {
  const { success, output, path, paused_at, execution_quality: quality } = result;
  return {
    status: paused_at !== null ? 'paused' : success ? 'success' : 'fail',
    quality,
    path,
    values: output,
    executions,
    inputs,
  };
}

async function replayed(recording: Recording): Promise<Seen> {
  const graph = graphOf(recording.graph);
  const inputs: Record<string, Values[]> = {};
  const { executions, script } = recording;
  for (const { id } of graph.nodes) inputs[id] = [];
  const person = new AbortController();
  const custom: Handler['execute'] = async ({ node, context, signal }) => {
    const id = hiveIdOf(node.id, graph) ?? '';
    if (recording.pause_after === id) person.abort();
    const keys = graph.nodes.find((one) => one.id === id)?.input_keys ?? [];
    const before = inputs[id]?.length ?? 0;
    inputs[id]?.push(Object.fromEntries(keys.map((key) => [key, context.get(key) ?? null])));
    const step = script[id]?.[before] ?? script[id]?.at(-1) ?? {};
    if (step.delay !== undefined) await pause(step.delay * 1000, undefined, { signal });
    if (step.success === false)
      return { status: 'fail', failure_reason: step.error ?? 'failed', retryable: true };
    return { status: 'success', context_updates: step.output ?? {} };
  };
  const dot = hivePipeline(graph, recording.parallel_config, recording.parallel);
  const isTimed = Object.values(script).some((steps) => steps.some(({ delay }) => delay !== undefined));
  const { result, events } = await runPipeline(dot, {
    inputs: recording.input,
    handlers: { codergen: custom },
    pauseSignal: person.signal,
    ...(isTimed && { clock: systemClock }),
  });
  const started = eventsOf(events, 'StageStarted').flatMap(({ node_id }) => hiveIdOf(node_id, graph) ?? []);
  const keys = new Set(Object.keys(recording.result.output));
  for (const { output_keys } of graph.nodes) for (const key of output_keys) keys.add(key);
  return {
    status: result.status as Seen['status'],
    quality: result.quality,
    path: started,
    values: Object.fromEntries(
      [...keys].flatMap((key) =>
        Object.hasOwn(result.context, key) ? [[key, result.context[key] ?? null]] : [],
      ),
    ),
    executions: Object.fromEntries(
      Object.keys(executions).map((id) => [id, started.filter((one) => one === id).length]),
    ),
    inputs,
  };
}
