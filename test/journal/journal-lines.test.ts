import { expect, test } from 'vitest';
import type { Stage } from '../../src/handlers/handler.js';
import type { QuestionDraft } from '../../src/handlers/question-draft.js';
import { eventsOf, fileOf, pipeline, runPipeline } from '../run/harness.js';

const dot = pipeline('a [type=x]', 'start -> a -> exit');
const long = 'y"'.repeat(500_000);
const success = { status: 'success' } as const;
const longestLine = 256 * 1024;

const question = (changes: object): QuestionDraft => ({ text: 'Well?', type: 'FREEFORM', ...changes });
const interviewer = { ask: async () => ({ value: 'x' }) };

/** Whatever a handler says, no line of the journal is longer than it may be (DESIGN §2). */
async function journaled(say: (stage: Stage) => unknown) {
  const ran = await runPipeline(dot, {
    interviewer,
    handlers: {
      x: async (stage) => {
        await say(stage);
        return success;
      },
    },
  });
  const longest = Math.max(
    ...fileOf(ran.directory, 'events.jsonl')
      .split('\n')
      .map((line) => Buffer.byteLength(line)),
  );
  expect(longest).toBeLessThan(longestLine);
  return ran;
}

test.each<[string, (stage: Stage) => unknown]>([
  ['log', ({ log }) => log('info', long)],
  ['appendLog', ({ context }) => context.appendLog(long)],
])('DESIGN 2: of what a stage has said by %s the beginning is kept', async (_name, say) => {
  const { result, events } = await journaled(say);
  expect(result.status).toBe('success');
  const messages = eventsOf(events, 'LogAppended').map(({ message }) => message);
  expect(messages).toContainEqual(
    expect.stringMatching(/^(?:y"){1000} … \(the beginning of 1000000 bytes\)$/),
  );
});

test('DESIGN 2: a log message that is not text is described', async () => {
  const { events } = await journaled(({ log }) => log('loud' as 'info', 10n as unknown as string));
  expect(eventsOf(events, 'LogAppended')).toContainEqual(
    expect.objectContaining({ level: 'warning', message: '10' }),
  );
});

test('DESIGN 2: a text that is too long for a question is in an artifact', async () => {
  let whole: unknown;
  const { result, events } = await journaled(async ({ ask, artifacts }) => {
    await ask(question({ text: long }));
    whole = artifacts.retrieve(artifacts.list()[0]?.id ?? '');
  });
  expect(result.status).toBe('success');
  expect(whole).toBe(long);
  expect(eventsOf(events, 'InterviewStarted')[0]?.question.text).toMatch(
    /^(?:y"){1000} … \(the beginning of 1000000 bytes; artifact "a\.\d+\.1\.1\.question" has it all\)$/,
  );
});

test.each<[string, object, RegExp]>([
  ['its metadata', { metadata: { long } }, /takes \d+ bytes without its text/],
  [
    'its options',
    { type: 'MULTIPLE_CHOICE', options: [{ key: 'A', label: long }] },
    /takes \d+ bytes without its text/,
  ],
  ['a text that is none', { text: 10n }, /the text 10; expected a string/],
])('DESIGN 2: a question is refused for %s', async (_name, changes, reason) => {
  const { result, events } = await journaled(({ ask }) => ask(question(changes)));
  expect(result).toMatchObject({ status: 'fail', failed_node: 'a' });
  expect(result.failure_reason).toMatch(reason);
  expect(eventsOf(events, 'InterviewStarted')).toEqual([]);
});

test('6.2: metadata is kept as JSON, whatever becomes of the draft', async () => {
  const metadata: Record<string, unknown> = { when: new Date(0), count: 10n };
  const { result } = await journaled(({ ask }) => ask(question({ metadata })));
  expect(result.failure_reason).toContain('cannot be written as JSON');
  const draft = question({ metadata: { when: new Date(0) }, options: [{ key: 'A', label: 'a' }] });
  const { events } = await journaled(({ ask }) => {
    const answer = ask(draft);
    Object.assign(draft, { options: [], metadata: {} });
    return answer;
  });
  expect(eventsOf(events, 'InterviewStarted')[0]?.question).toMatchObject({
    metadata: { when: '1970-01-01T00:00:00.000Z' },
    options: [{ key: 'A', label: 'a' }],
  });
});
