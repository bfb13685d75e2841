import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../src/graph/json.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import {
  eventsOf,
  fileOf,
  jsonOf,
  ownPromptOf,
  pipeline,
  resumePipeline,
  runOnDisk,
  type Setup,
  withoutPreamble,
} from './harness.js';

/** A pipeline of two stages: `a`, which is scripted, and `b`. */
function afterA(attributes: string, ...more: readonly string[]): string {
  return pipeline(
    'graph [goal="Ship"]',
    'a [shape=parallelogram, tool_command="true"]',
    `b [${attributes}]`,
    'start -> a -> b -> exit',
    ...more,
  );
}

/** What the prompt of `b` became, with these values in the context. */
async function promptOf(prompt: string, context: Readonly<Record<string, JsonValue>>, setup: Setup = {}) {
  const run = await runOnDisk(afterA(`prompt=${JSON.stringify(prompt)}`), {
    script: { a: { outcome: 'success', context_updates: context } },
    ...setup,
  });
  const warnings = eventsOf(run.events, 'LogAppended').map(({ message }) => message);
  return { ...run, prompt: ownPromptOf(run.directory, 'b'), warnings };
}

/** How a tool `b` ended that runs after `a`. */
async function toolOf(command: string, context: Readonly<Record<string, JsonValue>>, setup: Setup = {}) {
  const written = JSON.stringify(command);
  const run = await runOnDisk(afterA(`shape=parallelogram, prompt="", tool_command=${written}`), {
    script: { a: { outcome: 'success', context_updates: context } },
    ...setup,
  });
  const settled = run.events.find((event) => 'outcome' in event && event.node_id === 'b');
  if (settled === undefined || !('outcome' in settled)) throw new Error('the tool did not settle');
  return { ...run, outcome: settled.outcome, output: run.result.context['tool.output'] };
}

const strict = { strictValues: true } as const;

describe('§12 Values at run time: ${path} takes the same keys as conditions', () => {
  const context = { plan: 'Go', 'tool.x': 7, user: { name: 'Ada', tags: ['a', 'b'] }, nothing: null };
  test.each([
    ['${context.plan}', 'Go'],
    ['${state.plan}', 'Go'],
    ['${tool.x}', '7'],
    ['${context.tool.x}', '7'],
    ['${context.user.name}', 'Ada'],
    ['${context.user.tags.1}', 'b'],
    ['${context.nothing}', ''],
    ['${context.outcome}', 'success'],
    ['${inputs.city} ${context.city}', 'Oslo Oslo'],
    ['${graph.goal}', 'Ship'],
  ])('%s', async (template, expected) => {
    const { prompt, warnings } = await promptOf(`>${template}<`, context, {
      ...strict,
      inputs: { city: 'Oslo' },
    });
    expect([prompt, warnings]).toEqual([`>${expected}<`, []]);
  });
});

describe('§12 Values at run time: result. is the stage before', () => {
  const outcome = {
    outcome: 'partial_success',
    preferred_label: 'Next',
    notes: 'almost',
    context_updates: { score: 3, 'a.b': { c: 'deep' }, notes: 'mine' },
  };
  test.each([
    ['${result.outcome}', 'partial_success'],
    ['${result.status}', 'partial_success'],
    ['${result.preferred_label}', 'Next'],
    ['${result.notes}', 'almost'],
    ['${result.success}', 'true'],
    ['${result.node}', 'a'],
    ['${result.failure_reason}', ''],
    ['${result.score}', '3'],
    ['${result.a.b.c}', 'deep'],
    ['${result.context_updates.notes}', 'mine'],
    ['${result.context_updates.a.b.c}', 'deep'],
  ])('%s', async (template, expected) => {
    const { prompt } = await promptOf(`>${template}<`, {}, { ...strict, script: { a: outcome } });
    expect(prompt).toBe(`>${expected}<`);
  });

  test('through a diamond, and not the attempt before', async () => {
    const dot = pipeline(
      'a',
      'd [shape=diamond]',
      'b [prompt="${result.notes}", max_retries=1]',
      'start -> a -> d -> b -> exit',
    );
    const { directory } = await runOnDisk(dot, {
      script: { a: { outcome: 'success', notes: 'from a' } },
      backend: {
        run: (_node, prompt, _context, { attempt }) =>
          Promise.resolve(
            attempt === 1 ? { status: 'retry' as const, notes: 'from b' } : withoutPreamble(prompt),
          ),
      },
    });
    expect(fileOf(directory, 'b', 'response.md').split('\n')[0]).toBe('from a');
  });
});

describe('§12 Values at run time: inside text a value is rendered as a string, lists and maps as JSON', () => {
  test.each<readonly [JsonValue, string]>([
    ['text', 'text'],
    [1.5, '1.5'],
    [true, 'true'],
    [null, ''],
    [['a', 1, null], '["a",1,null]'],
    [{ a: { b: [] } }, '{"a":{"b":[]}}'],
    ['$goal ${context.v} $$', '$goal ${context.v} $$'],
  ])('%j', async (value, expected) => {
    const { prompt } = await promptOf('>${context.v}<', { v: value });
    expect(prompt).toBe(`>${expected}<`);
  });
});

describe('§12 Values at run time: an unknown path is an event and an empty string', () => {
  test('in a prompt', async () => {
    const { prompt, warnings, result } = await promptOf('a${context.nix}b${context.nix}${inputs.no}', {});
    expect([result.status, prompt]).toEqual(['success', 'ab']);
    expect(warnings).toEqual([
      '"${context.nix}" of "b" has no value; an empty text is used instead',
      '"${inputs.no}" of "b" has no value; an empty text is used instead',
    ]);
  });

  test('in a command', async () => {
    const { output, events } = await toolOf('printf "<%s>" ${context.nix} "${context.nix}"', {});
    expect(output).toBe('<><>');
    expect(eventsOf(events, 'LogAppended')).toHaveLength(1);
  });
});

describe('§12 Values at run time: --strict-values makes it fail', () => {
  const failure = {
    status: 'fail',
    failure_reason: expect.stringMatching(
      /^"\$\{context\.nix\}" of "b" has no value, and missing values are errors \(/,
    ),
  };
  test('a prompt, before any model is asked, and no retry helps', async () => {
    const run = await runOnDisk(afterA('prompt="${context.nix}", max_retries=2'), {
      ...strict,
      backend: { run: (node) => Promise.resolve(`response of ${node.id}`) },
    });
    expect(run.result).toMatchObject({ ...failure, failed_node: 'b' });
    expect(eventsOf(run.events, 'StageRetrying')).toEqual([]);
  });

  test('a command, before it runs', async () => {
    const { result, outcome } = await toolOf('echo ${context.nix}', {}, strict);
    expect([result.status, outcome]).toEqual(['fail', expect.objectContaining(failure)]);
  });

  test('and the run that is resumed, until the value is there', async () => {
    const { directory } = await toolOf('printf %s ${context.nix}', {}, strict);
    expect(jsonOf(directory, 'manifest.json').options.strict_values).toBe(true);
    expect((await resumePipeline(directory)).result).toMatchObject(failure);
    const { result } = await resumePipeline(directory, { inputs: { nix: 'there' } });
    expect(result).toMatchObject({ status: 'success', context: { 'tool.output': 'there' } });
  });
});

describe('§12 Values at run time: in a tool_command the value is shell-quoted, and only the known namespaces are touched', () => {
  test('so that ${HOME} survives', async () => {
    const { output } = await toolOf(
      'x=1; printf "%s|" ${context.v} "${x}${HOME:+y}" \'$${context.v} ${HOME}\' ${none:-$((x + 1))}',
      { v: '$(echo no) ; echo no' },
    );
    expect(output).toBe('$(echo no) ; echo no|1y|${context.v} ${HOME}|2|');
  });

  test('and the notes have the command as it is written', async () => {
    const { outcome } = await toolOf('true ${context.v}', { v: 'secret' });
    expect(outcome.notes).toBe('Tool completed: true ${context.v}');
  });

  test.each([
    ["cat <<'E'\n${context.v}\nE", 'in a here-document whose delimiter is quoted'],
    ['echo $((${context.v} + 1))', 'is calculated with, and is not a whole number: "a[$(touch x)]"'],
    ['echo "${x#${context.v}}"', 'in an expansion that may read it as a pattern or as a number'],
    ['echo `echo \\"${context.v}\\"`', 'within backticks that have backslashes'],
  ])('%j is a failure that names the path', async (command, why) => {
    // Lint says so before anything runs.
    const ruleSettings = new Map([['value_refused_in_command', 'off']] as const);
    const { outcome } = await toolOf(command, { v: 'a[$(touch x)]' }, { ruleSettings });
    expect(outcome.status).toBe('fail');
    expect(outcome.failure_reason).toContain('"${context.v}" in the tool_command of "b" ');
    expect(outcome.failure_reason).toContain(why);
  });

  test('a whole number can be calculated with', async () => {
    expect((await toolOf('echo $((${context.v} + 1))', { v: -41 })).output).toBe('-40\n');
  });

  test('a value that fits into no variable comes in a file', async () => {
    const fits = 'x'.repeat(128 * 1024 - 'ATTRACTOR_VALUE_1=\0'.length);
    expect((await toolOf('printf %s ${context.v} | wc -c', { v: fits })).output).toMatch(`${fits.length}`);
    const long = `$(touch x)\n${fits}'"\n\n`;
    const { outcome, directory } = await toolOf(
      'printf %s "${context.v}" > "$ATTRACTOR_STAGE_DIR/copy"; printf %s ${context.v} | wc -c',
      { v: long },
    );
    expect(fileOf(directory, 'b', 'copy')).toBe(long);
    expect(outcome.context_updates?.['tool.last_line']).toBe(`${long.length}`);
    const called = await toolOf('env true ${context.v}', { v: long + long });
    expect(called.outcome).toMatchObject({ status: 'fail' });
  });

  test('a NUL, which the system cannot pass on, is left out', async () => {
    expect((await toolOf('printf %s ${context.v}', { v: 'a\0b' })).output).toBe('ab');
  });

  test('the tool also gets ATTRACTOR_CTX_<KEY> for every scalar', async () => {
    const { output } = await toolOf('printf %s "${context.v}|$ATTRACTOR_CTX_V|$ATTRACTOR_CTX_LIST"', {
      v: 'a b',
      list: [1],
    });
    expect(output).toBe('a b|a b|');
  });
});

describe('§12 Values at run time: other templated attributes', () => {
  test('label and prompt of a question', async () => {
    const dot = pipeline(
      'a',
      'b [shape=hexagon, label="Ship ${context.v}?", prompt="It costs $$${context.cost}"]',
      'start -> a -> b -> exit',
    );
    const { events } = await runOnDisk(dot, {
      script: { a: { outcome: 'success', context_updates: { v: 'it', cost: 5 } } },
      answers: { b: 'exit' },
    });
    expect(eventsOf(events, 'InterviewStarted').map(({ question }) => question)).toMatchObject([
      { text: 'Ship it?', metadata: { prompt: 'It costs $5' } },
    ]);
  });

  test('a label that is the prompt', async () => {
    const { directory } = await runOnDisk(afterA('prompt="", label="Do ${inputs.v}"'), {
      inputs: { v: 'it' },
    });
    expect(ownPromptOf(directory, 'b')).toBe('Do it');
  });

  test.each([
    ['its own', ', workdir="${context.v}"', []],
    ["the graph's", '', ['workdir="${context.v}"']],
  ])('%s working directory', async (_whose, attributes, more) => {
    const workingDirectory = temporaryDirectory();
    mkdirSync(path.join(workingDirectory, 'sub'));
    const dot = afterA(`shape=parallelogram, prompt="", tool_command="pwd -P"${attributes}`, ...more);
    const { result } = await runOnDisk(dot, { workingDirectory, inputs: { v: 'sub' } });
    expect(result.context['tool.last_line']).toBe(path.join(workingDirectory, 'sub'));
  });
});

test('60: what $goal stands for is a template too, and a value is not expanded again', async () => {
  const dot = afterA('prompt="$goal"', 'goal="Ship ${inputs.what}"');
  const { directory } = await runOnDisk(dot, { inputs: { what: '$goal ${inputs.what}' } });
  expect(ownPromptOf(directory, 'b')).toBe('Ship $goal ${inputs.what}');
});
