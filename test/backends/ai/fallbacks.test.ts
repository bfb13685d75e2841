import { describe, expect, test } from 'vitest';
import { eventsOf, fileOf } from '../../run/harness.js';
import { bench, stage } from './bench.js';
import {
  answer,
  breaksOff,
  conversation,
  fallsSilent,
  type Reply,
  replyServer,
  status,
  streams,
  type WireFormat,
  wireFormats,
} from './faults.js';

const [anthropic, responses, gemini, chat] = wireFormats as [WireFormat, WireFormat, WireFormat, WireFormat];

interface Line {
  readonly format: WireFormat;
  readonly replies: readonly Reply[];
}

/** Plays a stage whose model has a server, and its fallbacks theirs. */
async function play(
  lines: readonly Line[],
  fallback: string,
  { attributes = 'max_retries=0', ai = {}, variables = {}, ports = {} } = {},
) {
  const servers = await Promise.all(lines.map(({ format, replies }) => replyServer(format, replies)));
  const options = lines.map(({ format }, index) => format.options(servers[index]?.url ?? ''));
  const { run } = await bench([], {
    variables: { ...Object.assign({}, ...options.map((one) => one.variables)), ...variables },
    settings: { ai, providers: new Map(options.flatMap(({ providers = [] }) => [...providers])) },
    ports,
  });
  const own = lines[0]?.format.attributes ?? '';
  const played = await run(stage(`${own}, llm_fallback="${fallback}", ${attributes}`));
  return { ...played, counts: servers.map(({ requests }) => requests.length), servers };
}

const gone = status(529, { type: 'overloaded_error', message: 'Overloaded' });

describe('130: a model that stays unavailable is replaced by the next', () => {
  const others = [responses, gemini, chat];
  const names = ['openai/gpt-5.2', 'google/gemini-2.5-pro', 'local/llama'];

  test.each(others.map((format, index) => [format.name, format, names[index] ?? ''] as const))(
    'in the middle of a conversation, by %s',
    async (_name, format, name) => {
      const [first = gone] = conversation(anthropic);
      const own = { format: anthropic, replies: [first, gone] };
      const other = { format, replies: conversation(format).slice(1) };
      const { result, events, directory, counts, servers } = await play([own, other], name);
      expect(result.failure_reason).toBeUndefined();
      expect(fileOf(directory, 'work', 'response.md')).toBe(answer);
      expect(counts).toEqual([7, 2]);
      // The whole conversation goes with it: the call of the first model, and its result.
      expect(JSON.stringify(servers[1]?.requests[0])).toContain('list_files');
      expect(JSON.stringify(servers[1]?.requests[0])).toContain('Let me look.');
      expect(eventsOf(events, 'ModelUsed').map(({ provider, model }) => `${provider}/${model}`)).toEqual([
        'anthropic/claude-sonnet-4-5',
        name,
        name,
      ]);
      const retries = eventsOf(events, 'RequestRetrying');
      expect(retries).toHaveLength(6);
      expect(retries.at(-1)).toMatchObject({
        delay: 0,
        request_attempt: 1,
        next_model: name,
        description: `Stage "work" is asking ${name} after HTTP 529`,
      });
      const warnings = eventsOf(events, 'LogAppended').filter(({ level }) => level === 'warning');
      expect(warnings.map(({ message }) => message).join('\n')).toContain(
        `${name} continues, because the request to anthropic/claude-sonnet-4-5 at `,
      );
    },
  );

  test('who asks for more patience than there is, is not waited for', async () => {
    const patient = status(429, { headers: { 'retry-after': '600' } });
    const { result, counts, events } = await play(
      [
        { format: anthropic, replies: [patient] },
        { format: chat, replies: conversation(chat) },
      ],
      'local/llama',
    );
    expect(result.status).toBe('success');
    expect(counts).toEqual([1, 3]);
    expect(eventsOf(events, 'RequestRetrying')).toHaveLength(1);
  });

  test('one that falls silent is replaced at once', async () => {
    const begun = anthropic.reply(1, 'I was about to').slice(0, 3);
    const { result, directory, counts, events } = await play(
      [
        { format: anthropic, replies: [fallsSilent(begun)] },
        { format: chat, replies: [streams(chat.reply(1, answer))] },
      ],
      'local/llama',
      { ports: { sleep: () => new Promise((resolve) => setTimeout(resolve, 50)) } },
    );
    expect(result.failure_reason).toBeUndefined();
    expect(counts).toEqual([1, 1]);
    expect(fileOf(directory, 'work', 'response.md')).toBe(answer);
    expect(eventsOf(events, 'RequestRetrying')).toMatchObject([
      { reason: '10 min of silence', discards_text: true, next_model: 'local/llama' },
    ]);
  });

  test.each<readonly [what: string, refusal: Reply]>([
    ['401', status(401, { type: 'authentication_error' })],
    ['403', status(403, { type: 'permission_error' })],
    ['404', status(404, { type: 'not_found_error' })],
    ['400', status(400, { type: 'invalid_request_error' })],
    ['an empty account', status(429, { type: 'insufficient_quota' })],
  ])('never after %s', async (_what, refusal) => {
    const { result, counts } = await play(
      [
        { format: anthropic, replies: [refusal] },
        { format: chat, replies: conversation(chat) },
      ],
      'local/llama',
    );
    expect(result.status).toBe('fail');
    expect(counts).toEqual([1, 0]);
  });

  test('an entry that cannot be used is passed over, and said', async () => {
    const { result, counts, events } = await play(
      [
        { format: anthropic, replies: [gone] },
        { format: chat, replies: conversation(chat) },
      ],
      'openai/gpt-5.2, nobody/x, anthropic/claude-sonnet-4-5, local/llama',
      { ai: { request_retries: 1 }, variables: { OPENAI_API_KEY: '' } },
    );
    expect(result.status).toBe('success');
    expect(counts).toEqual([2, 3]);
    const warnings = eventsOf(events, 'LogAppended').map(({ message }) => message);
    expect(warnings).toContainEqual(
      '"work": the fallback openai/gpt-5.2 cannot be used: OPENAI_API_KEY is not set',
    );
    expect(warnings).toContainEqual(
      expect.stringContaining('the fallback nobody/x cannot be used: there is no provider "nobody"'),
    );
  });

  test('if all fail, the stage may be tried again, with its own model first', async () => {
    const own = conversation(anthropic);
    const { result, counts, events } = await play(
      [
        { format: anthropic, replies: [gone, gone, ...own] },
        { format: chat, replies: [status(401, { message: 'bad key' })] },
      ],
      'local/llama',
      { ai: { request_retries: 1 }, attributes: 'max_retries=1' },
    );
    expect(result.status).toBe('success');
    expect(counts).toEqual([5, 1]);
    const [failed] = eventsOf(events, 'StageFailed');
    expect(failed?.outcome).toMatchObject({ retryable: true, failure_category: 'retryable' });
    expect(failed?.error).toMatch(
      /^the request to local\/llama at 127\.0\.0\.1:\d+ failed with HTTP 401: bad key; no API key was sent: name the variable that holds it in `providers\.local\.api_key_env` of the configuration; before that, the request to anthropic\/claude-sonnet-4-5 at 127\.0\.0\.1:\d+ failed 2 times, the last time with HTTP 529: Overloaded; /,
    );
  });

  test('a retry of the stage begins with its own model', async () => {
    const half = breaksOff(anthropic.reply(1, 'Half').slice(0, 3));
    const { result, counts } = await play(
      [
        { format: anthropic, replies: [half, streams(anthropic.reply(2, 'Better'))] },
        { format: chat, replies: [streams(chat.reply(1, ''))] },
      ],
      'local/llama',
      { ai: { request_retries: 0 }, attributes: 'max_retries=1' },
    );
    expect(result.status).toBe('success');
    expect(counts).toEqual([2, 1]);
  });
});
