import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { CodergenBackend } from '../../../src/handlers/codergen-backend.js';
import { StageSuspension } from '../../../src/handlers/handler.js';
import type { RunEvent } from '../../../src/machine/event.js';
import { sealed } from '../../../src/run-directory/hashed-line.js';
import { eventsOf, pipeline, resumePipeline, runOnDisk } from '../../run/harness.js';
import { calls, type MockModels, refuses, says } from '../../support/mock-models.js';
import { type Bench, bench, models } from './bench.js';

/** Two stages of one thread. */
const twoStages = (attributes: string, between = '') =>
  pipeline(
    `${attributes} default_fidelity=full default_thread_id=talk`,
    'one [prompt="My name is Ada."]',
    'two [prompt="Who am I?"]',
    between === '' ? '' : `${between} [type=wreck]`,
    between === '' ? 'start -> one -> two -> exit' : `start -> one -> ${between} -> two -> exit`,
  );

const claude = 'llm_model="claude-sonnet-4-5"';

/** The words of a request, by who says them, without the system's. */
function said(mock: MockModels, index: number): readonly string[] {
  const messages = mock.requests()[index]?.body.messages ?? [];
  return messages
    .filter(({ role }) => role !== 'system')
    .map(({ role, content }) => `${role}: ${wordsOf(content)}`);
}

function wordsOf(content: unknown): string {
  if (!Array.isArray(content)) return typeof content === 'string' ? content : '';
  return content.map((part) => part.text ?? '').join('');
}

function sessionFiles({ runDirectory }: Bench): readonly string[] {
  return readdirSync(path.join(runDirectory, 'sessions')).map((name) =>
    path.join(runDirectory, 'sessions', name),
  );
}

function warnings(events: readonly RunEvent[]): readonly string[] {
  return eventsOf(events, 'LogAppended').flatMap(({ level, message }) =>
    level === 'warning' ? [message] : [],
  );
}

describe('5.4: under full, the stages of a thread share a conversation', () => {
  test.each(models)('$name', async ({ attributes }) => {
    const it = await bench([calls(['list_files', {}]), says('Hello Ada.'), says('You are Ada.')]);
    const { result, events } = await it.run(twoStages(attributes));
    expect(result.failure_reason).toBeUndefined();
    const last = said(it.mock, 2);
    expect(last[0]).toBe('user: My name is Ada.');
    expect(last).toContain('assistant: Hello Ada.');
    expect(last.at(-1)).toBe('user: Who am I?');
    const session = { backend: 'ai', thread_id: 'talk' };
    const has = (node_id: string) => ({ ...session, node_id, includes_stage: true });
    const sessions = eventsOf(events, 'SessionStarted');
    expect(sessions).toMatchObject([session, has('one'), has('two')]);
    expect(sessions[0]?.includes_stage).toBeUndefined();
    expect(sessionFiles(it)).toHaveLength(1);
  });

  test('also in another process', async () => {
    const it = await bench([says('Hello Ada.'), refuses(401), says('You are Ada.')]);
    const first = await it.run(twoStages(claude));
    expect(first.result.status).toBe('fail');
    const { result } = await resumePipeline(it.runDirectory, await it.setup());
    expect(result.status).toBe('success');
    const [name, hello, asked, ...rest] = said(it.mock, 2);
    expect([name, hello, rest]).toEqual(['user: My name is Ada.', 'assistant: Hello Ada.', []]);
    expect(asked).toMatch(/the run stopped at two and was resumed: .*401[\s\S]*\n\n---\n\nWho am I\?$/);
  });

  test.each<readonly [what: string, damage: (file: string) => void, problem: string]>([
    ['is missing', (file) => rmSync(file), 'it does not exist'],
    [
      'has a word changed',
      (file) => writeFileSync(file, readFileSync(file, 'utf8').replace('Hello Ada', 'Hello Eve')),
      'it was changed after it was written',
    ],
    [
      'is of another version',
      (file) => writeFileSync(file, sealed('{"version": 2, "turns": []}')),
      'version: expected 1, found 2',
    ],
    ['is not JSON', (file) => writeFileSync(file, '{"version": 1, "tur'), 'it is not JSON'],
    [
      'is a directory',
      (file) => {
        rmSync(file);
        mkdirSync(file);
      },
      'it is a directory',
    ],
    [
      'is something else',
      (file) =>
        writeFileSync(file, '{"version": 1, "turns": [{"stage": "one/1", "messages": [{"role": "me"}]}]}'),
      'turns.0.messages.0',
    ],
  ])('begins a new one where the file %s', async (_what, damage, problem) => {
    const it = await bench([says('Hello Ada.'), says('I do not know.')]);
    const given = await it.setup();
    const { result, events } = await runOnDisk(twoStages(claude, 'damage'), {
      ...given,
      handlers: {
        wreck: () => {
          for (const file of sessionFiles(it)) damage(file);
          return { status: 'success' };
        },
      },
    });
    expect(result.status).toBe('success');
    const [asked, ...rest] = said(it.mock, 1);
    expect(rest).toEqual([]);
    expect(asked).toMatch(/\n- one: success – its answer: "Hello Ada\."\n\n---\n\nWho am I\?$/);
    expect(readFileSync(path.join(it.runDirectory, 'two', 'prompt.md'), 'utf8')).toBe(
      asked?.slice('user: '.length),
    );
    expect(warnings(events)).toContainEqual(
      expect.stringMatching(
        new RegExp(`^"two" cannot continue its session; .*: sessions/[0-9a-f]{16}\\.json: .*${problem}`),
      ),
    );
    const [file = ''] = sessionFiles(it);
    expect(JSON.parse(readFileSync(file, 'utf8')).turns).toHaveLength(1);
  });

  test('an attempt after one without an answer continues, and its thread has it once', async () => {
    const it = await bench(
      [calls(['list_files', {}]), refuses(500), says('Hello Ada.'), says('You are Ada.')],
      { settings: { ai: { request_retries: 0 } } },
    );
    const { result } = await it.run(twoStages(`${claude} default_max_retry=1`));
    expect(result.status).toBe('success');
    const looked = ['user: My name is Ada.', 'assistant: ', 'tool: No file matches.'];
    expect(said(it.mock, 2)).toEqual(looked);
    const [asked, ...before] = said(it.mock, 3).toReversed();
    expect(before.toReversed()).toEqual([...looked, 'assistant: Hello Ada.']);
    expect(asked).toMatch(
      /one: success \(after 1 retry\)[\s\S]*attempt 1 of one failed[\s\S]*\n\nWho am I\?$/,
    );
  });

  test('a stage that is cut off after its answer was kept asks for nothing, and does not find its own words', async () => {
    const it = await bench([says('Hello Ada.'), says('You are Ada.')]);
    const given = await it.setup();
    const cutOff: CodergenBackend = {
      async run(node, ...rest) {
        const reply = await given.backend?.run(node, ...rest);
        if (node.id === 'two' || reply === undefined) throw new StageSuspension('as by a crash');
        return reply;
      },
    };
    const first = await runOnDisk(twoStages(claude), { ...given, backend: cutOff });
    expect(first.result.status).toBe('paused');
    const { result } = await resumePipeline(it.runDirectory, await it.setup());
    expect(result.status).toBe('success');
    expect(it.mock.requests()).toHaveLength(2);
    const [file = ''] = sessionFiles(it);
    const { turns } = JSON.parse(readFileSync(file, 'utf8'));
    expect(turns.map(({ stage }: { stage: string }) => stage)).toEqual(['one/1', 'two/1']);
  });

  test('other fidelities and other threads know nothing of it', async () => {
    const it = await bench([says('Hello Ada.'), says('No.'), says('No.')]);
    const dot = pipeline(
      `${claude} default_fidelity=full`,
      'one [prompt="My name is Ada.", thread_id=a]',
      'two [prompt="Who am I?", thread_id=b]',
      'three [prompt="Who am I?", fidelity=truncate]',
      'start -> one -> two -> three -> exit',
    );
    const { events } = await it.run(dot);
    expect(said(it.mock, 1)).toEqual([expect.stringContaining('its answer: "Hello Ada."')]);
    expect(said(it.mock, 2)).toHaveLength(1);
    expect(new Set(eventsOf(events, 'SessionStarted').map(({ session_id }) => session_id)).size).toBe(2);
  });
});
