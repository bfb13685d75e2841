import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { RunEvent } from '../../../../src/machine/event.js';
import { applyAll } from '../../../../src/view/fold/apply.js';
import { emptyView, narrowScope } from '../../../../src/view/fold/run-view.js';
import { bench, stage } from '../../../backends/ai/bench.js';
import {
  answer,
  type Reply,
  replyServer,
  status,
  streams,
  type WireFormat,
  wireFormats,
} from '../../../backends/ai/faults.js';
import { play } from '../../../backends/ai/play-replies.js';
import {
  eventsOf,
  fileOf,
  type PipelineRun,
  pipeline,
  resumePipeline,
  runOnDisk,
} from '../../../run/harness.js';
import { virtualClock } from '../../../support/virtual-clock.js';

const [, responses, , chat] = wireFormats as readonly [WireFormat, WireFormat, WireFormat, WireFormat];

const summary = 'SUMMARY: the tasks were listed.';
const list = { name: 'list_files', input: { pattern: '*' } };

/** A turn with a call whose words are that long. */
const turn = (format: WireFormat, number: number, length = 500): Reply =>
  streams(format.reply(number, `Turn ${number}. ${'x'.repeat(length)} `, list));

const says = (format: WireFormat, number: number, words: string): Reply =>
  streams(format.reply(number, words));

const tooLong = (numbers = ''): Reply => status(400, { message: `prompt is too long${numbers}` });

/** Names of the calls and results of a request by their ids, whatever the format. */
function calls(body: unknown): { readonly made: readonly string[]; readonly answered: readonly string[] } {
  const made: string[] = [];
  const answered: string[] = [];
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const fields = value as Readonly<Record<string, unknown>>;
    if (fields.type === 'tool_use') made.push(String(fields.id));
    if (fields.type === 'tool_result') answered.push(String(fields.tool_use_id));
    if (fields.type === 'function_call') made.push(String(fields.call_id));
    if (fields.type === 'function_call_output') answered.push(String(fields.call_id));
    if (fields.type === 'function' && 'id' in fields) made.push(String(fields.id));
    if (fields.role === 'tool') answered.push(String(fields.tool_call_id));
    // Gemini has no ids: the order pairs them.
    if ('functionCall' in fields) made.push(`google ${made.length}`);
    if ('functionResponse' in fields) answered.push(`google ${answered.length}`);
    for (const inner of Object.values(fields)) visit(inner);
  };
  const { tools: _tools, ...messages } = body as Readonly<Record<string, unknown>>;
  visit(messages);
  return { made, answered };
}

/** Roles of a request in order, without the system's; results of tools are those of the user. */
function roles(body: unknown): readonly string[] {
  const { messages, input, contents } = body as Readonly<Record<string, readonly Record<string, unknown>[]>>;
  return (messages ?? input ?? contents ?? [])
    .filter(({ role }) => role !== 'system' && role !== 'developer')
    .map(({ role, type }) => String(role ?? (type === 'function_call' ? 'assistant' : 'tool')));
}

function bodyOf(request: unknown): unknown {
  return (request as { readonly body: unknown }).body;
}

/** What the page shows that the stage does, after an event. */
function doingAt(events: readonly RunEvent[], isIt: (event: RunEvent) => boolean): string | undefined {
  const seen = events.slice(0, events.findIndex(isIt) + 1);
  return applyAll(emptyView(narrowScope), seen).nodes.get('work')?.latest.doing;
}

const conversationOf = ({ directory }: PipelineRun): readonly Record<string, unknown>[] =>
  fileOf(directory, 'work', 'conversation.jsonl')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

describe('125: a conversation that is too long goes on with a summary of its older turns', () => {
  test.each(wireFormats)('$name', async (format) => {
    const played = await play(format, [
      turn(format, 1),
      turn(format, 2),
      turn(format, 3),
      tooLong(': 212302 tokens > 200000 maximum'),
      says(format, 4, summary),
      turn(format, 5),
      says(format, 6, answer),
    ]);
    const { result, requests, events } = played;
    expect(result.failure_reason).toBeUndefined();
    expect(fileOf(played.directory, 'work', 'response.md')).toBe(answer);
    const bodies = requests.map((request) => JSON.stringify(bodyOf(request)));
    // The summary is asked for without tools, about everything but the newest turn.
    expect(bodies[4]).toContain('Turn 1.');
    expect(bodies[4]).toContain('Turn 2.');
    expect(bodies[4]).not.toContain('Turn 3.');
    expect(calls(bodyOf(requests[4]))).toEqual({ made: [], answered: [] });
    for (const index of [5, 6]) {
      const body = bodyOf(requests[index]);
      expect(bodies[index]).toContain('Do the work.');
      expect(bodies[index]).toContain(summary);
      expect(bodies[index]).not.toContain('Turn 2.');
      expect(bodies[index]).toContain('Turn 3.');
      const { made, answered } = calls(body);
      expect(made).toHaveLength(index - 4);
      expect(answered).toEqual(made);
      expect(roles(body)[0]).toBe('user');
      expect(roles(body)[1]).toMatch(/assistant|model/);
    }
    expect(eventsOf(events, 'ConversationCompacting')).toMatchObject([
      { node_id: 'work', turns: 2, kept: 1, error: expect.stringContaining('212302 tokens') },
    ]);
    expect(doingAt(events, ({ type }) => type === 'ConversationCompacting')).toBe(
      'summarizing 2 older turns',
    );
    expect(doingAt(events, ({ type }) => type === 'StageCompleted')).toBeUndefined();
    expect(eventsOf(events, 'ModelUsed')).toHaveLength(6);
    expect(result.usage.requests).toBe(6);
    expect(conversationOf(played)).toContainEqual(
      expect.objectContaining({ kind: 'compacted', summary, turns: 2 }),
    );
  });

  test.each<readonly [what: string, format: WireFormat, refusal: Reply]>([
    ...wireFormats.map((format): readonly [string, WireFormat, Reply] => [
      `${format.name}, in the stream`,
      format,
      streams([format.error('context_length_exceeded', 'prompt is too long')]),
    ]),
    [
      'OpenAI responses, after the beginning of a response',
      responses,
      streams([
        { type: 'response.created', response: { id: 'r', created_at: 1, model: 'gpt-5.2' } },
        {
          type: 'response.failed',
          sequence_number: 1,
          response: { error: { code: 'context_length_exceeded', message: 'Your input is too much.' } },
        },
      ]),
    ],
  ])('refused by %s', async (_what, format, refusal) => {
    const { result, events } = await play(format, [
      turn(format, 1),
      refusal,
      says(format, 2, summary),
      says(format, 3, answer),
    ]);
    expect(result.failure_reason).toBeUndefined();
    expect(eventsOf(events, 'RequestRetrying')).toEqual([]);
    expect(eventsOf(events, 'ConversationCompacting')).toHaveLength(1);
  });

  test('the request for the summary is repeated like any other', async () => {
    const { result, events } = await play(chat, [
      turn(chat, 1),
      tooLong(),
      status(529),
      says(chat, 2, summary),
      says(chat, 3, answer),
    ]);
    expect(result.status).toBe('success');
    expect(eventsOf(events, 'RequestRetrying')).toHaveLength(1);
  });

  test('and counts against budgets: a run that pauses after it goes on with the summary, and does not pay for it again', async () => {
    const server = await replyServer(chat, [
      turn(chat, 1),
      turn(chat, 2),
      tooLong(),
      says(chat, 3, summary),
      says(chat, 4, answer),
    ]);
    const it = await bench([], {
      settings: { providers: new Map(chat.options(server.url).providers ?? []) },
    });
    const paused = await it.run(stage(`${chat.attributes}, budget_tokens=25`));
    expect(paused.result).toMatchObject({ status: 'paused', usage: { requests: 3 } });
    expect(server.requests).toHaveLength(4);
    const { result } = await resumePipeline(
      it.runDirectory,
      await it.setup({ runDirectory: undefined, stageBudgets: { work: { tokens: 1000 } } }),
    );
    expect(result).toMatchObject({ status: 'success', usage: { requests: 4 } });
    expect(server.requests).toHaveLength(5);
    const last = JSON.stringify(server.requests[4]?.body);
    expect(last).toContain(summary);
    expect(last).not.toContain('Turn 1.');
  });

  test('and counts against ai.max_requests', async () => {
    const { result } = await play(chat, [turn(chat, 1), tooLong(), says(chat, 2, summary), turn(chat, 3)], {
      settings: { ai: { max_requests: 3 } },
    });
    expect(result.failure_reason).toContain('did not finish within 3 requests');
  });
});

test('125: a summary is in the recording, and a replay tells of it', async () => {
  const replies = [turn(chat, 1), tooLong(), says(chat, 2, summary), says(chat, 3, answer)];
  const recorded = await play(chat, replies, { setup: { record: true } });
  const replayed = await runOnDisk(stage(`${chat.attributes}, max_retries=0`), {
    backend: { run: () => Promise.reject(new Error('really asked')) },
    replay: recorded.directory,
  });
  expect(replayed.result).toMatchObject({ status: 'success', usage: { requests: 3 } });
  expect(eventsOf(replayed.events, 'ConversationCompacting')).toMatchObject([{ turns: 1, kept: 0 }]);
});

describe('125: what does not help is a final failure that says what to do', () => {
  test('a conversation that is too long again', async () => {
    const { result, requests, events } = await play(chat, [
      turn(chat, 1),
      tooLong(),
      says(chat, 2, summary),
      turn(chat, 3),
      tooLong(': 9 of 8'),
    ]);
    expect(requests).toHaveLength(5);
    expect(eventsOf(events, 'ConversationCompacting')).toHaveLength(1);
    expect(eventsOf(events, 'StageFailed')[0]?.outcome).toMatchObject({ failure_category: 'terminal' });
    expect(result.failure_reason).toMatch(
      /^the request to local\/llama at \S+ failed with HTTP 400: the conversation is too long for local\/llama, although a summary has replaced its older turns: prompt is too long: 9 of 8; divide the work among several stages, give this one less history \(its own `thread_id`, or another `fidelity` than "full"\), or use a model with a larger context window$/,
    );
  });

  test('a prompt that is too long by itself', async () => {
    const { result, requests } = await play(chat, [tooLong()]);
    expect(requests).toHaveLength(1);
    expect(result.failure_reason).toMatch(
      /: the prompt alone is too long for local\/llama: prompt is too long; shorten it \(.*\), or use a model with a larger context window$/,
    );
  });

  test('a summary that cannot be asked for either, with ever less text', async () => {
    const turns = [1, 2, 3, 4].map((number) => turn(chat, number, 5000));
    const { result, requests } = await play(chat, [...turns, tooLong()]);
    expect(requests).toHaveLength(8);
    const sizes = requests.slice(5).map((request) => JSON.stringify(request).length);
    expect(sizes).toEqual(sizes.toSorted((one, other) => other - one));
    expect(sizes[2]).toBeLessThan((sizes[0] ?? 0) / 2);
    expect(result.failure_reason).toContain(
      'and so was each request to summarize it: prompt is too long; divide',
    );
  });

  test('a model that writes no summary', async () => {
    const { result, events } = await play(chat, [turn(chat, 1), tooLong(), says(chat, 2, ' ')]);
    expect(result.failure_reason).toContain(
      'which was asked for a summary of its older turns and wrote none',
    );
    expect(eventsOf(events, 'StageFailed')[0]?.outcome).toMatchObject({ retryable: true });
  });
});

/** Two stages of one thread, with a server that answers both. */
async function playThread(replies: readonly Reply[]) {
  const server = await replyServer(chat, replies);
  const { providers = [] } = chat.options(server.url);
  const it = await bench([], { settings: { providers: new Map(providers) } });
  const run = await it.run(
    pipeline(
      `${chat.attributes} default_fidelity=full default_thread_id=talk default_max_retry=0`,
      'one [prompt="My name is Ada."]',
      'work [prompt="Do the work."]',
      'three [prompt="Who am I?"]',
      'start -> one -> work -> three -> exit',
    ),
    { clock: virtualClock() },
  );
  const bodies = server.requests.map(({ body }) => JSON.stringify((body as { messages: unknown }).messages));
  const [file = ''] = readdirSync(path.join(run.directory, 'sessions'));
  const session = JSON.parse(readFileSync(path.join(run.directory, 'sessions', file), 'utf8'));
  return { run, bodies, session };
}

test('125: a thread that is too long goes on with the summary, in later stages too, and keeps its turns', async () => {
  const { run, bodies, session } = await playThread([
    turn(chat, 1, 3000),
    says(chat, 2, `Hello Ada. ${'y'.repeat(3000)}`),
    tooLong(),
    says(chat, 3, summary),
    says(chat, 4, 'Done.'),
    says(chat, 5, 'You are Ada.'),
  ]);
  expect(run.result.failure_reason).toBeUndefined();
  expect(bodies).toHaveLength(6);
  expect(bodies[3]).toContain('My name is Ada.');
  for (const body of bodies.slice(4)) {
    expect(body).toContain('Do the work.');
    expect(body).toContain(summary);
    expect(body).not.toContain('My name is Ada.');
  }
  expect(bodies[5]).toContain('Who am I?');
  expect(bodies[5]).toContain('Done.');
  expect(session.turns).toMatchObject([
    { stage: 'one/1' },
    { stage: 'work/1', replaces_earlier: true },
    { stage: 'three/1' },
  ]);
  expect(JSON.stringify(session.turns[0])).toContain('Hello Ada.');
});
