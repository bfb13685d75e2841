import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../src/graph/json.js';
import type { RunResult } from '../../src/view/run-result.js';
import { pipeline, runOnDisk, runPipeline } from '../run/harness.js';
import { type Exception, hasSamples, sampleJson, withExceptions } from './samples.js';

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

/** A graph of Rye in DOT, and what of its run is compared. */
interface Translation {
  readonly dot: string;
  /** Values of the run under the names that they have there. */
  readonly values: (result: RunResult) => Values;
  readonly recorded: (state: Values) => Values;
  readonly exceptions?: Readonly<Record<string, Exception>>;
}

const nothing = (): Values => ({});
const tool = (command: string, ...more: readonly string[]) =>
  `[shape=parallelogram, tool_command=${JSON.stringify(command)}${more.map((one) => `, ${one}`).join('')}]`;

const python = 'lists and truth values in a text are written as JSON, not as Python writes them';

const translations: Readonly<Record<string, Translation>> = {
  err_fail_default: {
    dot: pipeline(
      `a ${tool('exit 3', '"assign.x"="${tool.output}"')}; b ${tool('echo b')}; start -> a -> b -> exit`,
    ),
    values: ({ context }) => ({ x: context.x ?? null, node: lastFailure(context).node ?? null }),
    recorded: ({ x, _last_error: error }) => ({ x: x ?? null, node: (error as Values).node ?? null }),
  },
  err_edge: {
    dot: pipeline(
      `a ${tool('exit 1')}; h ${tool('echo ${internal.last_failure.node}', '"assign.h"="${tool.output}"')}`,
      'start -> a -> exit; a -> h [condition="outcome=fail"]; h -> exit',
    ),
    values: ({ context }) => ({ h: context.h ?? null, node: lastFailure(context).node ?? null }),
    recorded: ({ h, _last_error: error }) => ({ h: h ?? null, node: (error as Values).node ?? null }),
  },
  retry_hook_000_shape: {
    dot: pipeline(
      `a ${tool(
        'cd "$ATTRACTOR_STAGE_DIR"; n=$(cat n 2>/dev/null||echo 0); n=$((n+1)); echo $n>n; test $n -ge 3 && echo ok',
        'max_retries=2',
        '"assign.out"="${tool.output}"',
      )}`,
      'after [shape=diamond, "assign.retries"="${stages.a.retries}"]; start -> a -> after -> exit',
    ),
    values: ({ context }) => ({ out: context.out ?? null, retries: context.retries ?? null }),
    recorded: ({ out, _retries: retries }) => ({ out: out ?? null, retries: (retries as Values).a ?? null }),
  },
  max_steps: {
    dot: pipeline(
      `max_steps=5; a ${tool('echo a')}; b ${tool('echo b')}`,
      'start -> a -> b -> a; b -> exit [condition="false"]',
    ),
    values: nothing,
    recorded: nothing,
    exceptions: { node: { ours: 'b', why: 'the failure names the stage that the limit kept from running' } },
  },
  foreach_parallel: {
    dot: pipeline(
      'start ["assign.items"="[{\\"n\\": 1}, {\\"n\\": 2}, {\\"n\\": 3}]"]',
      'f [shape=component, foreach="${context.items}", as=it]',
      `work ${tool('echo v${context.it.n}')}`,
      'join [shape=diamond, "assign.res"="${parallel.results.*.context_updates.tool.output}"]',
      'start -> f -> work -> join -> exit',
    ),
    values: ({ context }) => ({ items: context.items ?? null, res: context.res ?? null }),
    recorded: ({ items, res }) => ({
      items: items ?? null,
      res: (res as readonly Values[]).map(({ stdout }) => stdout ?? null),
    }),
  },
  foreach_not_list: {
    dot: pipeline(
      'start ["assign.items"="abc"]',
      'f [shape=component, foreach="${context.items}", as=c]',
      `work ${tool('${context.c}')}`,
      'start -> f -> work -> exit',
    ),
    values: nothing,
    recorded: nothing,
    exceptions: {
      success: { ours: false, why: 'a list that is none is a failure, not an empty list' },
      node: { ours: 'f', why: 'it fails where the list is read' },
    },
  },
  types: {
    dot: pipeline(
      'start ["assign.n"=3, "assign.l"="[1, 2]", "assign.d"="{\\"k\\": null}", "assign.b"=true]',
      'a [shape=diamond, "assign.n2"="${context.n}", "assign.mix"="n=${context.n} l=${context.l} b=${context.b}",',
      '"assign.mm"="[${context.zzz}]", "assign.gone"="${result.nothing}", "assign.lit"=5,',
      '"assign.nest"="{\\"a\\": [\\"${context.n}\\"]}"]',
      'start -> a; a -> exit [condition="context.n2 > 2"]',
    ),
    values: ({ context: { n, l, d, b, n2, mix, mm, gone, lit, nest } }) =>
      ({ n, l, d, b, n2, mix, mm, gone, lit, nest }) as Values,
    recorded: ({ inputs: _, ...state }) => state,
    exceptions: { mix: { ours: 'n=3 l=[1,2] b=true', why: python } },
  },
};

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
  const translated = recordings.filter(({ graph }) => elsewhere[graph] === undefined);

  it.each(translated)('is the same here: $graph', async ({ graph, params, result }) => {
    const translation = translations[graph];
    if (translation === undefined) throw new Error(`no translation of ${graph}, and no reason why`);
    const run = await runOnDisk(translation.dot, { inputs: params });
    const { success, node = null, state = {} } = result;
    const wanted = { success, node: node ?? null, ...translation.recorded(state) };
    const seen = {
      success: run.result.status === 'success',
      node: run.result.status === 'success' ? null : (run.result.failed_node ?? null),
      ...translation.values(run.result),
    };
    expect(seen).toEqual(withExceptions(wanted, translation.exceptions));
  });

  it('is refused here too where an input is missing', async () => {
    const dot = pipeline('inputs="who: string"; start -> a -> exit');
    await expect(runPipeline(dot)).rejects.toThrow('who: expected a string, but it is not given');
  });
});
