import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { FixtureResponse } from '@copilotkit/aimock';
import { describe, expect, test } from 'vitest';
import type { RunEvent } from '../../../../src/machine/event.js';
import { type Execution, start } from '../../../../src/run/execution.js';
import { type Bench, bench, models, stage } from '../../../backends/ai/bench.js';
import { cutAfter } from '../../../backends/ai/cut-run.js';
import { eventsOf, pipeline, resumePipeline } from '../../../run/harness.js';
import { calls, type MockTurn, refuses, says } from '../../../support/mock-models.js';

const claude = 'llm_model="claude-sonnet-4-5"';
const lists = calls(['list_files', {}]);

/** Something happens while the model is asked. */
function during(turn: MockTurn, act: () => void): MockTurn {
  return {
    ...turn,
    response: () => {
      act();
      return turn.response as FixtureResponse;
    },
  };
}

interface Steered {
  readonly it: Bench;
  readonly events: readonly RunEvent[];
  readonly status: string;
  readonly failure: string | undefined;
  readonly directory: string;
}

/** Runs a stage; the turns may say something to it while they are asked for. */
async function play(
  turns: (say: (text: string, by?: string) => void) => readonly MockTurn[],
  dot: string,
  options: { readonly secrets?: readonly string[] } = {},
): Promise<Steered> {
  let execution: Execution | undefined;
  const said: Promise<void>[] = [];
  const say = (text: string, by?: string): void => {
    if (execution !== undefined) said.push(execution.steer('work', text, { by }));
  };
  const it = await bench(turns(say));
  const events: RunEvent[] = [];
  const onEvent = (event: RunEvent): void => void events.push(event);
  execution = start(dot, { ...((await it.setup()) as object), ...options, onEvent });
  const result = await execution.result;
  await Promise.all(said);
  if (result.status === 'invalid') throw new Error('the pipeline is invalid');
  const { status, failure_reason: failure } = result;
  return { it, events, status, failure, directory: it.runDirectory };
}

/** Messages of a request without the system's. */
function messages({ mock }: Bench, request: number): readonly string[] {
  const all = mock.requests()[request]?.body.messages ?? [];
  return all.flatMap(({ role, content }) => {
    const text =
      typeof content === 'string' ? content : (content ?? []).map((part) => part.text ?? '').join('');
    return role === 'system' ? [] : [`${role}: ${text}`];
  });
}

function entriesOf(directory: string): readonly Readonly<Record<string, unknown>>[] {
  const text = readFileSync(path.join(directory, 'work', 'conversation.jsonl'), 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

describe('words of a person to a running stage', () => {
  test.each(models.map(({ name, attributes }) => [name, attributes] as const))(
    'reach the model of %s before its next request',
    async (_name, attributes) => {
      const { it, events, status, directory } = await play(
        (say) => [during(lists, () => say('Use tabs.', 'ada')), says('Done.')],
        stage(attributes),
      );
      expect(status).toBe('success');
      expect(messages(it, 1)).toContain('user: Use tabs.');
      const [steered] = eventsOf(events, 'StageSteered');
      expect(steered).toMatchObject({ node_id: 'work', text: 'Use tabs.', by: 'ada' });
      expect(eventsOf(events, 'SteeringDelivered')).toMatchObject([{ steering_id: steered?.steering_id }]);
      const person = entriesOf(directory).filter(({ kind }) => kind === 'person');
      expect(person.at(-1)).toMatchObject({
        text: 'Use tabs.',
        by: 'ada',
        steering_id: steered?.steering_id,
      });
    },
  );

  test('that come with the last reply are answered too', async () => {
    const { it, status } = await play(
      (say) => [during(says('Done.'), () => say('One more thing.')), says('Done, both.')],
      stage(claude),
    );
    expect(status).toBe('success');
    expect(messages(it, 1)).toEqual(['user: Do the work.', 'assistant: Done.', 'user: One more thing.']);
    expect(readFileSync(path.join(it.runDirectory, 'work', 'response.md'), 'utf8')).toBe('Done, both.');
  });

  test('keep the verdict that came before them, unless there is another', async () => {
    const verdict = (label: string) =>
      calls(['report_outcome', { outcome: 'success', preferred_label: label }]);
    const routes = ['ship [shape=parallelogram, tool_command="true"]', 'work -> ship [label=Ship]'];
    const more = [...routes, 'work -> exit [label=Wait]', 'ship -> exit'];
    const kept = await play(
      (say) => [during(verdict('Ship'), () => say('Thanks.')), says('You are welcome.')],
      stage(claude, ...more),
    );
    expect(eventsOf(kept.events, 'EdgeSelected').map(({ to }) => to)).toContain('ship');
    const changed = await play(
      (say) => [during(verdict('Ship'), () => say('Not yet.')), verdict('Wait')],
      stage(claude, ...more),
    );
    expect(eventsOf(changed.events, 'EdgeSelected').map(({ to }) => to)).not.toContain('ship');
  });

  test('hold no secret', async () => {
    const secret = 'correct-horse-battery';
    const { it, directory } = await play(
      (say) => [during(lists, () => say(`It is ${secret}.`)), says('Done.')],
      stage(claude),
      { secrets: [secret] },
    );
    expect(messages(it, 1)).toContain('user: It is [redacted:secret].');
    expect(readFileSync(path.join(directory, 'events.jsonl'), 'utf8')).not.toContain(secret);
  });

  test('that the model never got are reported', async () => {
    const { events, status } = await play(
      (say) => [during(lists, () => undefined), during(refuses(401), () => say('Stop.'))],
      stage(`${claude}, max_retries=0`),
    );
    expect(status).toBe('fail');
    const log = eventsOf(events, 'LogAppended').map(({ message }) => message);
    expect(log).toContain('"work" ended before its model got the last words of a person');
  });
});

describe('words are refused', () => {
  test.each<readonly [string, string, string, string]>([
    ['where nothing runs', 'later', 'Hello.', '"later" is not running now'],
    ['by a tool', 'tool', 'Hello.', '"tool" has no model: it is a stage of type tool'],
    ['where they are empty', 'work', '  ', 'There is nothing to say: the text is empty'],
    [
      'where they are too long',
      'work',
      'x'.repeat(20_001),
      'The text has 20001 characters; a stage takes at most 20000',
    ],
  ])('%s', async (_what, to, text, reason) => {
    let refusal: unknown;
    let execution: Execution | undefined;
    const it = await bench([
      during(says('Done.'), () => {
        execution?.steer(to, text).catch((error: unknown) => {
          refusal = error;
        });
      }),
    ]);
    const dot = pipeline(
      'fan [shape=component]',
      'in [shape=tripleoctagon, prompt="", label="In"]',
      `work [prompt="Do the work.", ${claude}]`,
      'tool [shape=parallelogram, tool_command="sleep 1"]',
      'later [shape=parallelogram, tool_command="true"]',
      'start -> fan',
      'fan -> work -> in',
      'fan -> tool -> in',
      'in -> later -> exit',
    );
    execution = start(dot, (await it.setup({ clock: undefined as never })) as object);
    await execution.result;
    expect(String(refusal)).toContain(reason);
  });

  test('by a backend that takes none', async () => {
    const execution = start(pipeline('work', 'start -> work -> exit'), {
      runDirectory: path.join((await bench()).workspace, 'run'),
      backend: {
        async run() {
          await expect(execution.steer('work', 'Hello.')).rejects.toThrow(
            '"work" takes no words while it works',
          );
          return 'Done.';
        },
      },
    });
    expect((await execution.result).status).toBe('success');
  });
});

/** Each turn follows from the ones before it, so that a request whose reply was lost gets it again. */
function turnsByConversation(say: (text: string) => void): readonly MockTurn[] {
  const turns = [during(lists, () => say('First.')), during(lists, () => say('Second.')), says('Done.')];
  return Array.from({ length: turns.length + 2 }, () => ({
    response: (request) => {
      const index = request.messages.filter(({ role }) => role === 'assistant').length;
      const turn = turns[index] as MockTurn;
      return typeof turn.response === 'function' ? turn.response(request) : turn.response;
    },
  }));
}

describe('words that are in the journal', () => {
  test('reach the model exactly once, wherever the process ends', async () => {
    let cuts = 0;
    for (let entries = 1; ; entries += 1) {
      let execution: Execution | undefined;
      const it = await bench(
        turnsByConversation((text) => void execution?.steer('work', text).catch(() => undefined)),
      );
      const copy = path.join(path.dirname(it.runDirectory), 'copy');
      const cut = cutAfter(entries, it.runDirectory, copy, ['conversation.jsonl', 'events.jsonl']);
      const setup = (await it.setup({ fileSystem: cut.fileSystem })) as object;
      execution = start(stage(claude), setup);
      const ended = await execution.result.then(
        () => true,
        () => false,
      );
      execution = undefined;
      if (ended) break;
      if (!existsSync(path.join(copy, 'work', 'conversation.jsonl'))) continue;
      cuts += 1;
      const { result } = await resumePipeline(copy, await it.setup({ runDirectory: undefined as never }));
      expect(result.status, `after ${entries} entries`).toBe('success');
      const journal = readFileSync(path.join(copy, 'events.jsonl'), 'utf8').trim().split('\n');
      const events = journal.map((line) => JSON.parse(line) as RunEvent);
      const steered = eventsOf(events, 'StageSteered').map(({ text, steering_id: id }) => ({ text, id }));
      const heard = entriesOf(copy).flatMap(({ steering_id: id, text }) =>
        id === undefined ? [] : [{ text, id }],
      );
      expect(heard, `after ${entries} entries`).toEqual(steered);
      const delivered = eventsOf(events, 'SteeringDelivered').map(({ steering_id: id }) => id);
      expect(delivered).toEqual(steered.map(({ id }) => id));
      // Messages of a user that follow each other come as one.
      const last = messages(it, it.mock.requests().length - 1).flatMap(
        (line) => /^user: (?!Do)(.*)$/.exec(line)?.[1] ?? [],
      );
      expect(last.join(''), `after ${entries} entries`).toBe(steered.map(({ text }) => text).join(''));
    }
    expect(cuts).toBeGreaterThan(10);
  });
});
