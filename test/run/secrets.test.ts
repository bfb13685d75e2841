import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { compile } from '../../src/compiler/compile.js';
import type { CodergenBackend } from '../../src/handlers/codergen-backend.js';
import type { Handler } from '../../src/handlers/handler.js';
import { readJournal } from '../../src/journal/journal.js';
import { foldJournal } from '../../src/run/recorded-session.js';
import { run } from '../../src/run/run.js';
import { makeRedactor } from '../../src/secrets/redactor.js';
import { checkpointAsRead } from '../support/checkpoint-as-read.js';
import { fc } from '../support/fast-check.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { virtualClock } from '../support/virtual-clock.js';
import {
  eventsOf,
  fileOf,
  fileSystemOf,
  jsonOf,
  pipeline,
  programOf,
  resumePipeline,
  runPipeline,
} from './harness.js';

// What a run is told may be secret; what it makes of it is not (DESIGN §4). test/integration/process/secrets.test.ts looks at every byte.

const secret = 'a-secret-of-42-letters';
const hidden = '[redacted:secret]';
const secrets = [secret];
const line = pipeline('a', 'b', 'start -> a -> b -> exit');

afterEach(() => void vi.unstubAllEnvs());

describe('the option `secrets`', () => {
  const says = { a: { context_updates: { said: secret } } };

  test('names more of them', async () => {
    const { result } = await runPipeline(line, { secrets, script: says });
    expect(result.context.said).toBe(hidden);
  });

  test('adds to what the environment has', async () => {
    vi.stubEnv('MY_TOKEN', secret);
    const { result } = await runPipeline(line, { secrets: ['another-secret'], script: says });
    expect(result.context.said).toBe('[redacted:MY_TOKEN]');
  });

  test('`false` hides nothing', async () => {
    vi.stubEnv('MY_TOKEN', secret);
    const { result } = await runPipeline(line, { secrets: false, script: says });
    expect(result.context.said).toBe(secret);
  });

  test('may be a redactor', async () => {
    const redactor = makeRedactor([{ name: 'MINE', value: secret }]);
    const { result } = await runPipeline(line, { secrets: redactor, script: says });
    expect(result.context.said).toBe('[redacted:MINE]');
  });

  test.each([['short'], ['1234567'], [7 as unknown as string]])('%j is not a secret', async (value) => {
    await expect(run(line, { secrets: [value], runDirectory: temporaryDirectory() })).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('a list of texts of at least 8 characters'),
    });
  });
});

describe('a pipeline with a secret in it', () => {
  const dot = pipeline(`a [prompt="Use ${secret}"]`, 'start -> a -> exit', `// ${secret}`);

  test('is run without it, and so it is resumed', async () => {
    const notices: string[] = [];
    const onNotice = (message: string): void => void notices.push(message);
    const { directory, events } = await runPipeline(dot, { secrets, onNotice });
    expect(fileOf(directory, 'pipeline.dot')).toBe(dot.replaceAll(secret, hidden));
    expect(fileOf(directory, 'a', 'prompt.md')).toBe(`Use ${hidden}`);
    const said = 'the pipeline contains a secret in line 5, 7 (secret), which is never written to disk';
    expect(notices.some((notice) => notice.includes(said))).toBe(true);
    expect(eventsOf(events, 'LogAppended').some(({ message }) => message.includes(said))).toBe(true);
    const { result } = await resumePipeline(directory, { secrets });
    expect(result.status).toBe('success');
  });

  test('continues where its secret is known later only', async () => {
    const waiting = pipeline(
      `a [shape=hexagon, label="Use ${secret}?"]`,
      'start -> a',
      'a -> exit [label="[Y] Yes"]',
    );
    const { directory, result } = await runPipeline(waiting);
    expect(result.status).toBe('paused');
    const later = await resumePipeline(directory, { secrets, answers: { a: 'Y' } });
    expect(later.result.status).toBe('success');
  });

  test.each([
    ['was compiled before', () => compile(dot), '"prompt" of the node "a"'],
    [
      'a transform has put it there',
      () =>
        compile(line, {
          transforms: [{ name: 'naming', apply: (graph) => ({ ...graph, name: secret }) }],
        }),
      'its name',
    ],
  ])('is refused where it %s', async (_how, compilation, where) => {
    const runDirectory = path.join(temporaryDirectory(), 'run');
    await expect(run(compilation(), { secrets, runDirectory })).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining(`${where} contains a secret (secret)`),
    });
  });

  test('may have it in a comment when it is compiled', async () => {
    const runDirectory = path.join(temporaryDirectory(), 'run');
    await run(compile(`${line}\n// ${secret}`), { secrets, runDirectory });
    expect(readFileSync(path.join(runDirectory, 'pipeline.dot'), 'utf8')).toContain(`// ${hidden}`);
  });
});

test('97: inputs are hidden at the start and when it continues, and the log says which', async () => {
  const { directory, events } = await runPipeline(line, { secrets, inputs: { token: secret, plain: 1 } });
  expect(jsonOf(directory, 'manifest.json').inputs).toEqual({ token: hidden, plain: 1 });
  const remarks = eventsOf(events, 'LogAppended').map(({ message }) => message);
  expect(remarks.filter((message) => message.startsWith('the input "token" contains a secret'))).toHaveLength(
    1,
  );
  const paused = pipeline('a [shape=hexagon]', 'start -> a', 'a -> exit [label="[Y] Yes"]');
  const before = await runPipeline(paused, { secrets });
  const { result } = await resumePipeline(before.directory, {
    secrets,
    inputs: { x: [secret] },
    answers: { a: 'Y' },
  });
  expect(result.context['inputs.x']).toEqual([hidden]);
});

test('a secret is hidden before a text is cut, so that no part of it is left', async () => {
  const long = `${'x'.repeat(1990)}${secret}${'x'.repeat(20_000)}`;
  const fails: Handler['execute'] = (stage) => {
    stage.log('warning', long);
    return { status: 'fail', failure_reason: long };
  };
  const backend = { run: async () => `${'y'.repeat(190)}${secret}` };
  const { result, directory } = await runPipeline(line, {
    secrets,
    backend,
    handlers: { codergen: fails },
  });
  expect(JSON.stringify(result)).not.toContain(secret.slice(0, 8));
  expect(fileOf(directory, 'events.jsonl')).not.toContain(secret.slice(0, 8));
  const answered = await runPipeline(line, { secrets, backend });
  expect(answered.result.context.last_response).toBe(`${'y'.repeat(190)}[redacted:`);
});

test('9.6: what a model says in pieces is hidden wherever it is cut', async () => {
  const text = `before ${secret} after`;
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 0, max: text.length }), { maxLength: 6 }), async (cuts) => {
      const places = [0, ...cuts.toSorted((one, other) => one - other), text.length];
      const { events } = await runPipeline(line, {
        secrets,
        backend: {
          async run(_node, _prompt, _context, call) {
            places.forEach((place, index) => {
              call.report({ kind: 'text', channel: 'response', text: text.slice(place, places[index + 1]) });
            });
            return 'done';
          },
        },
      });
      const said = eventsOf(events, 'StageOutput').filter(({ node_id }) => node_id === 'a');
      expect(said.map((event) => event.text).join('')).toBe(`before ${hidden} after`);
    }),
    { numRuns: 15 },
  );
});

test('66: the journal amounts to the state that the run had, whatever was hidden in it', async () => {
  const parts = fc.constantFrom(secret, secret.slice(0, 9), 'x', '"', '\n', ' ');
  const texts = fc.array(parts, { maxLength: 5 }).map((all) => all.join(''));
  const program = programOf(line);
  await fc.assert(
    fc.asyncProperty(texts, texts, texts, fc.boolean(), async (notes, value, key, fails) => {
      const outcome = { outcome: fails ? 'fail' : 'success', notes, failure_reason: value };
      const details = { context_updates: { [`k${key}`]: [{ [key]: value }] }, preferred_label: notes };
      const { directory } = await runPipeline(line, {
        secrets,
        script: { a: { ...outcome, ...details } },
        inputs: { [`i${key}`]: value },
      });
      const { timestamp: _, ...live } = jsonOf(directory, 'checkpoint.json');
      const folded = foldJournal(
        program,
        readJournal(path.join(directory, 'events.jsonl'), fileSystemOf(directory)),
        directory,
      );
      const view = checkpointAsRead(folded, live.graph_hash);
      expect({ ...view, timestamp: undefined }).toEqual({ ...live, timestamp: undefined });
      expect(JSON.stringify(live)).not.toContain(secret);
    }),
    { numRuns: 25 },
  );
});

test('9.4: a child run hides the same, in its own pipeline too', async () => {
  const directory = temporaryDirectory();
  const child = pipeline(`inner [prompt="Use ${secret}"]`, 'start -> inner -> exit');
  writeFileSync(path.join(directory, 'child.dot'), child);
  const parent = pipeline('sub [type=pipeline, child="child.dot"]', 'start -> sub -> exit');
  const prompts: string[] = [];
  const backend: CodergenBackend = {
    async run(_node, prompt) {
      prompts.push(prompt);
      return `I used ${secret}`;
    },
  };
  const { result, events } = await runPipeline(parent, {
    secrets,
    sourcePath: path.join(directory, 'parent.dot'),
    backend,
    clock: virtualClock(),
  });
  expect(result.status).toBe('success');
  expect(prompts.at(-1)).toContain(`Use ${hidden}`);
  expect(
    eventsOf(events, 'LogAppended').some(({ message }) => message.includes('the pipeline contains a secret')),
  ).toBe(true);
  const place = path.join(result.run_dir, 'sub', 'child');
  expect(fileOf(place, 'inner', 'response.md')).toBe(`I used ${hidden}`);
  expect(fileOf(place, 'pipeline.dot')).not.toContain(secret);
});
