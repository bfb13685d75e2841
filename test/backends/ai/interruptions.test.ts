import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { linkOf, sealed } from '../../../src/run-directory/hashed-line.js';
import { eventsOf, fileOf, type PipelineRun, resumePipeline, type Setup } from '../../run/harness.js';
import {
  breaksOff,
  calls,
  crawls,
  type MockScript,
  type MockTurn,
  refuses,
  says,
} from '../../support/mock-models.js';
import { virtualClock } from '../../support/virtual-clock.js';
import { type Bench, bench, stage } from './bench.js';

const claude = 'llm_model="claude-sonnet-4-5"';

/** A request that fails ends its attempt at once. */
const noRepetition = { ai: { request_retries: 0 } };

/** A turn that costs 20 tokens. */
function paid(turn: MockTurn): MockTurn {
  return {
    ...turn,
    response: { ...(turn.response as object), usage: { input_tokens: 10, output_tokens: 10 } } as never,
  };
}

const lists = calls(['list_files', {}]);
const again = (reason: string) => calls(['report_outcome', { outcome: 'retry', failure_reason: reason }]);

/** Messages of a request without the system's, each as its role and its first words. */
function said({ mock }: Bench, index: number): readonly string[] {
  const messages = mock.requests()[index]?.body.messages ?? [];
  return messages.flatMap(({ role, content }) => {
    const text =
      typeof content === 'string' ? content : (content ?? []).map((part) => part.text ?? '').join('');
    return role === 'system' ? [] : [`${role}: ${text}`];
  });
}

function logOf({ events }: PipelineRun): string {
  return eventsOf(events, 'LogAppended')
    .map(({ message }) => message)
    .join('\n');
}

describe('123: an attempt after one that ended without an answer', () => {
  test.each<readonly [what: string, failure: MockTurn]>([
    ['with HTTP 500', refuses(500)],
    ['with HTTP 429', refuses(429)],
    ['with a reply that broke off', breaksOff('I was about to')],
  ])('%s continues after the last turn', async (_what, failure) => {
    const it = await bench([lists, failure, says('Done.')], { settings: noRepetition });
    const run = await it.run(stage(`${claude}, max_retries=1`));
    expect(run.result.status).toBe('success');
    expect(it.mock.requests()).toHaveLength(3);
    expect(said(it, 2)).toEqual(['user: Do the work.', 'assistant: ', 'tool: No file matches.']);
    expect(fileOf(run.directory, 'work', 'response.md')).toBe('Done.');
    expect(logOf(run)).toContain('"work" continues its conversation after 1 completed turn');
  });

  const hangs = crawls('letter by letter '.repeat(1000), 50);
  const asFar = ['user: Do the work.', 'assistant: ', 'tool: No file matches.'];

  test('because its time was up continues after the last turn', async () => {
    const it = await bench([lists, hangs, says('Done.')]);
    let attempt = 0;
    const run = await it.run(stage(`${claude}, timeout=60s, max_retries=1`), {
      clock: virtualClock({ mayPass: () => attempt === 1 && it.mock.requests().length === 2 }),
      onEvent: (event) => {
        if (event.type === 'StageStarted' && event.node_id === 'work') attempt = event.attempt;
      },
    });
    expect(run.result.status).toBe('success');
    expect(eventsOf(run.events, 'StageRetrying')).toHaveLength(1);
    expect(said(it, 2)).toEqual(asFar);
    expect(fileOf(run.directory, 'work', 'response.md')).toBe('Done.');
    expect(logOf(run)).toContain('"work" continues its conversation after 1 completed turn');
  });

  test('because the run paused at once continues after the last turn when it is resumed', async () => {
    const it = await bench([lists, hangs, says('Done.')]);
    const pausing = new AbortController();
    const pauses = setInterval(() => {
      if (it.mock.requests().length === 2) pausing.abort({ mode: 'now' });
    }, 10);
    onTestFinished(() => clearInterval(pauses));
    const clock = virtualClock({ mayPass: () => false });
    const paused = await it.run(stage(claude), { clock, pauseSignal: pausing.signal });
    expect(paused.result.status).toBe('paused');
    const run = await resumePipeline(paused.directory, await it.setup({ runDirectory: undefined }));
    expect(run.result.status).toBe('success');
    expect(it.mock.requests()).toHaveLength(3);
    expect(said(it, 2)).toEqual(asFar);
    expect(fileOf(run.directory, 'work', 'response.md')).toBe('Done.');
  });

  test('counts the requests of all attempts against ai.max_requests', async () => {
    const it = await bench([lists, refuses(500), lists, says('Late.')], {
      settings: { ai: { max_requests: 2, request_retries: 0 } },
    });
    const { result } = await it.run(stage(`${claude}, max_retries=1`));
    expect(result.failure_reason).toContain('did not finish within 2 requests');
    expect(it.mock.requests()).toHaveLength(3);
  });

  test('of the next visit has a file of its own', async () => {
    const it = await bench([lists, says('One.'), says('Two.')]);
    const { directory } = await it.run(
      stage(
        `${claude}, max_visits=2`,
        'more [shape=parallelogram, tool_command="test -f again || { touch again; exit 1; }"]',
        'work -> more',
        'more -> exit',
        'more -> work [condition="outcome=fail"]',
      ),
    );
    expect(fileOf(directory, 'work', 'visit-1', 'conversation.jsonl')).toContain('One.');
    const second = fileOf(directory, 'work', 'conversation.jsonl');
    expect(second).toContain('"visit":2');
    expect(second).not.toContain('"visit":1');
  });
});

describe('123: an attempt after an answer begins a new conversation with the reason', () => {
  test.each<readonly [what: string, script: MockScript, attributes: string, reason: string]>([
    ['the verdict retry', [lists, again('not\nyet'), says('Done.')], '', 'not yet'],
    [
      'fail_when',
      [says('Bad.'), says('Good.')],
      ', fail_when="context.last_response=Bad.", retry_when="true"',
      'fail_when',
    ],
  ])('%s', async (_what, script, more, reason) => {
    const it = await bench(script);
    const { result } = await it.run(stage(`${claude}, fidelity=full, thread_id=t, max_retries=1${more}`));
    expect(result.failure_reason).toBeUndefined();
    const [prompt, ...rest] = said(it, it.mock.requests().length - 1);
    expect(rest).toEqual([]);
    expect(prompt).toMatch(/Do the work\.\n\nAttempt 1 at this was not accepted: .+$/);
    expect(prompt).toContain(reason);
  });
});

interface Paused {
  readonly it: Bench;
  readonly file: string;
  resume(more?: Setup): Promise<PipelineRun>;
}

/** Stops a stage by its budget after its first turn. */
async function paused(script: MockScript, more: Setup = {}): Promise<Paused> {
  const it = await bench(script);
  const { result, directory } = await it.run(stage(`${claude}, budget_tokens=15`), more);
  expect(result.status).toBe('paused');
  return {
    it,
    file: path.join(directory, 'work', 'conversation.jsonl'),
    resume: async (again = {}) =>
      resumePipeline(
        directory,
        await it.setup({
          runDirectory: undefined,
          stageBudgets: { work: { tokens: 1000 } },
          ...more,
          ...again,
        }),
      ),
  };
}

describe('123: a conversation in a file that is not as it was', () => {
  const script: MockScript = [paid(lists), says('Done.')];
  const whole = ['user: Do the work.', 'assistant: ', 'tool: No file matches.'];
  const fresh = ['user: Do the work.'];

  test.each<
    readonly [what: string, damage: (file: string) => void, asked: readonly string[], log: string | undefined]
  >([
    ['is as it was', () => undefined, whole, undefined],
    ['ends within a line', (file) => appendFileSync(file, '{"kind":"assist'), whole, undefined],
    [
      'has a line that is not JSON at its end',
      (file) => appendFileSync(file, 'x\n'),
      whole,
      'line 6: it is not JSON',
    ],
    [
      'has bytes that are not UTF-8',
      (file) => appendFileSync(file, Buffer.from([0xff, 0x0a])),
      whole,
      'line 6: it is not JSON in UTF-8',
    ],
    ['is something else', (file) => writeFileSync(file, '{"a": 1}\n'), fresh, 'nothing of it is used'],
    [
      'has a word changed',
      (file) => writeFileSync(file, readFileSync(file, 'utf8').replace('No file matches', 'All files match')),
      whole,
      'line 5: it was changed after it was written',
    ],
    ['is of another stage', (file) => rewrite(file, /"node_id":"[^"]*"/g, '"node_id":"x"'), fresh, undefined],
    ['is of another run', (file) => rewrite(file, /"run_id":"[^"]*"/g, '"run_id":"x"'), fresh, undefined],
    [
      'is about another prompt',
      (file) => rewrite(file, /"prompt_sha256":"[^"]*"/g, '"prompt_sha256":"x"'),
      fresh,
      'its prompt has changed',
    ],
    [
      'is with another model',
      (file) => rewrite(file, /"model":"[^"]*"/g, '"model":"openai/gpt"'),
      fresh,
      'it was with openai/gpt',
    ],
    ['is gone', (file) => rmSync(file), fresh, 'with one request that a model has answered, is gone'],
    ['is empty', (file) => writeFileSync(file, ''), fresh, 'pays for these requests again'],
    ['is a directory', replaced((file) => mkdirSync(file)), fresh, 'nothing of it is used'],
    ['is a link', replaced((file) => symlinkSync('/etc/passwd', file)), fresh, 'it is a symbolic link'],
    ['is a pipe', replaced((file) => execFileSync('mkfifo', [file])), fresh, 'it is a named pipe'],
  ])('%s', async (_what, damage, asked, log) => {
    const { it, file, resume } = await paused(script);
    damage(file);
    const run = await resume();
    expect(run.result.status).toBe('success');
    // A new conversation also begins with the history of the run.
    expect(said(it, 1).map((text) => text.replace(/^user: [\s\S]*\n---\n\n/, 'user: '))).toEqual(asked);
    if (log === undefined) expect(logOf(run)).not.toMatch(/damaged|is gone/);
    else expect(logOf(run)).toContain(log);
    for (const line of readFileSync(file, 'utf8').trimEnd().split('\n'))
      expect(() => JSON.parse(line)).not.toThrow();
    expect(existsSync(`${file}~1`)).toBe(
      log?.startsWith('line') || log?.startsWith('nothing') || log?.startsWith('it is a') || false,
    );
  });
});

test('123: secrets are neither in the file nor in the requests of a conversation that continues', async () => {
  const secret = 'correct-horse-battery';
  const shows = paid(calls(['run_command', { command: `printf '%s-%s' correct-horse battery` }]));
  const { it, file, resume } = await paused([shows, says('Done.')], { secrets: [secret] });
  expect(readFileSync(file, 'utf8')).not.toContain(secret);
  const { result } = await resume({ secrets: [secret] });
  expect(result.status).toBe('success');
  expect(said(it, 1).join('\n')).toContain('[redacted:secret]');
  expect(JSON.stringify(it.mock.requests())).not.toContain(secret);
});

/** Changes all lines, whose hashes fit afterwards. */
function rewrite(file: string, from: RegExp, to: string): void {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  writeFileSync(file, lines.map((line) => `${sealed(linkOf(line).text.replaceAll(from, to))}\n`).join(''));
}

function replaced(replace: (file: string) => void): (file: string) => void {
  return (file) => {
    rmSync(file);
    replace(file);
  };
}
