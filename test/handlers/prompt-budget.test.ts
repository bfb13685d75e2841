import { describe, expect, test } from 'vitest';
import type { CodergenBackend } from '../../src/handlers/codergen-backend.js';
import {
  eventsOf,
  fileOf,
  fileSystemOf,
  pipeline,
  runOnDisk,
  runPipeline,
  type Setup,
  testEach,
} from '../run/harness.js';
import { differenceOf } from '../run/recording/play.js';

/** One word is one token, and so is each blank with the word after it. */
const words = (count: number, word = 'word'): string => Array.from({ length: count }, () => word).join(' ');

const onePrompt = (prompt: string): string => pipeline(`a [prompt="${prompt}"]`, 'start -> a -> exit');

/** A backend that reads files, and tells what it was asked. */
function reader(prompts: string[], readsFiles = true): Setup {
  const run: CodergenBackend['run'] = (_node, prompt) => {
    prompts.push(prompt);
    return Promise.resolve('done');
  };
  return { backend: { run, readsFiles: () => readsFiles } };
}

interface Row {
  readonly name: string;
  readonly prompt: string;
  readonly inputs: Readonly<Record<string, string>>;
  /** Values that come in files. */
  readonly left: readonly string[];
}

const rows: readonly Row[] = [
  { name: 'a short value', prompt: '${inputs.a}', inputs: { a: 'x' }, left: [] },
  { name: 'a value of 20 000 tokens', prompt: '${inputs.a}', inputs: { a: words(19_900) }, left: [] },
  { name: 'one of more', prompt: '${inputs.a}', inputs: { a: words(20_100) }, left: ['inputs.a'] },
  {
    name: 'three values of 19 900',
    prompt: '${inputs.a} ${inputs.b} ${inputs.c}',
    inputs: { a: words(19_900), b: words(19_900, 'other'), c: words(19_900, 'third') },
    left: [],
  },
  {
    name: 'four values, of which the longest does not fit',
    prompt: '${inputs.a} ${inputs.b} ${inputs.c} ${inputs.d}',
    inputs: {
      a: words(15_000, 'one'),
      b: words(16_000, 'two'),
      c: words(15_500, 'three'),
      d: words(14_900, 'four'),
    },
    left: ['inputs.b'],
  },
  {
    name: 'a value that stands there four times',
    prompt: '${inputs.a} ${inputs.a} ${inputs.a} ${inputs.a} ${inputs.b}',
    inputs: { a: words(15_100), b: words(9000, 'other') },
    left: ['inputs.a'],
  },
  {
    name: 'a word without an end',
    prompt: '${inputs.a}',
    inputs: { a: 'a'.repeat(1_000_000) },
    left: ['inputs.a'],
  },
];

describe('104: a prompt has each value whole, or says which file has it', () => {
  testEach(rows, async ({ prompt, inputs, left }) => {
    const prompts: string[] = [];
    const { result, directory } = await runPipeline(onePrompt(prompt), { inputs, ...reader(prompts) });
    expect(result.failure_reason).toBeUndefined();
    const files = filesIn(directory, 'a');
    expect(files).toHaveLength(left.length);
    for (const [name, value] of Object.entries(inputs)) {
      const isLeft = left.includes(`inputs.${name}`);
      expect(prompts[0]?.includes(value)).toBe(!isLeft);
      if (isLeft) expect(files).toContain(value);
    }
    for (const path of left)
      expect(prompts[0]).toMatch(
        new RegExp(
          `\\[\\$\\{${path}\\} is too long for this prompt: \\d+ bytes, 1 line\\. All of it is in the file "${directory}/a/value-[0-9a-f]{16}\\.txt"`,
        ),
      );
    expect(fileOf(directory, 'a', 'prompt.md')).toBe(prompts[0]);
  });

  test('a list or a map has a line for each member in its file', async () => {
    const prompts: string[] = [];
    const files = Array.from({ length: 9000 }, (_, number) => ({ path: `src/file-${number}.ts`, number }));
    const { directory } = await runPipeline(onePrompt('${inputs.files}'), {
      inputs: { files },
      ...reader(prompts),
    });
    const [content = ''] = filesIn(directory, 'a');
    expect(JSON.parse(content)).toEqual(files);
    expect(content).toContain('\n    "path": "src/file-8999.ts",\n');
    expect(prompts[0]).toMatch(/bytes of JSON, 36002 lines\. All of it is in the file ".*\.json"/);
  });

  test('a stage that runs again has the same file', async () => {
    const prompts: string[] = [];
    const { directory } = await runPipeline(
      pipeline(
        'a [prompt="${inputs.text}", max_retries=1, retry_policy=none]',
        'b [prompt="Go on"]',
        'start -> a -> b',
        'b -> a [condition="stages.b.visits < 3"]',
        'b -> exit [condition="stages.b.visits >= 3"]',
      ),
      { inputs: { text: words(30_000) }, ...reader(prompts) },
    );
    const named = prompts.flatMap((prompt) => prompt.match(/value-[0-9a-f]+/g) ?? []);
    expect(named).toHaveLength(3);
    expect(new Set(named).size).toBe(1);
    expect(filesIn(directory, 'a')).toEqual([words(30_000)]);
  });

  test('a simulated stage has the file too', async () => {
    const { result, directory } = await runPipeline(onePrompt('${inputs.a}'), {
      inputs: { a: words(20_100) },
    });
    expect(result.status).toBe('success');
    expect(fileOf(directory, 'a', 'prompt.md')).toContain('is too long for this prompt');
  });

  test('secrets are not in the file', async () => {
    const { directory } = await runPipeline(onePrompt('${inputs.a}'), {
      inputs: { a: `${words(20_100)} sesame-open` },
      secrets: ['sesame-open'],
      ...reader([]),
    });
    expect(filesIn(directory, 'a').join()).not.toContain('sesame-open');
  });

  testEach<{ name: string; readsFiles: CodergenBackend['readsFiles'] }>(
    [
      { name: 'a backend that reads no files', readsFiles: () => false },
      { name: 'one that does not say', readsFiles: undefined },
      { name: 'one that takes its time to say no', readsFiles: () => Promise.resolve(false) },
    ],
    async ({ readsFiles }) => {
      const { result, events } = await runPipeline(
        pipeline('a [prompt="${inputs.b} ${inputs.a}", max_retries=3]', 'start -> a -> exit'),
        {
          inputs: { a: words(20_100), b: 'short' },
          backend: { run: () => Promise.reject(new Error('was asked')), readsFiles },
        },
      );
      expect(eventsOf(events, 'StageFailed').map(({ outcome }) => outcome)).toMatchObject([
        { retryable: false, failure_category: 'terminal' },
      ]);
      expect(result.failure_reason).toBe(
        'in the prompt of "a", ${inputs.a} (100499 bytes) is too long: at most 20000 tokens of a value and 60000 of all values fit, and this stage cannot read it from a file; give it the tool read_file, or pass on only the part that it needs',
      );
    },
  );

  testEach<{ name: string; reads: boolean }>(
    [
      { name: 'a replay has the same prompt', reads: true },
      { name: 'a replay fails where the stage could not read files', reads: false },
    ],
    async ({ reads }) => {
      const dot = onePrompt('${inputs.a}');
      const recorded = await runOnDisk(dot, {
        inputs: { a: words(20_100) },
        record: true,
        ...reader([], reads),
      });
      expect(recorded.result.status).toBe(reads ? 'success' : 'fail');
      const replayed = await runOnDisk(dot, { replay: recorded.directory, ...reader([], !reads) });
      expect(differenceOf(recorded.directory, replayed.directory)).toBeUndefined();
    },
  );

  test('the candidates of a fan-in are a value too', async () => {
    const prompts: string[] = [];
    const items = Array.from({ length: 700 }, (_, number) => `item ${number}`);
    const { result, directory } = await runPipeline(
      pipeline(
        'graph [inputs="items: list"]',
        'each [shape=component, foreach="${inputs.items}", prompt=""]',
        'work [type="work"]',
        'best [shape=tripleoctagon, prompt="Choose"]',
        'start -> each -> work -> best -> exit',
      ),
      {
        inputs: { items },
        handlers: { work: () => ({ status: 'success' }) },
        ...reader(prompts),
      },
    );
    expect(result.failure_reason).toBeUndefined();
    expect(prompts[0]).toContain('[${parallel.results} is too long for this prompt');
    expect(JSON.parse(filesIn(directory, 'best')[0] ?? '')).toHaveLength(700);
  });
});

/** Content of the files that have values, in the directory of a stage. */
function filesIn(directory: string, stage: string): readonly string[] {
  const place = `${directory}/${stage}`;
  const names = fileSystemOf(directory).readdir(place);
  return names.filter((name) => name.startsWith('value-')).map((name) => fileOf(place, name));
}
