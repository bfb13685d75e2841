import { appendFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { untilAborted } from '../../src/abort/abort.js';
import { followEvents } from '../../src/journal/follow-events.js';
import type { RunEvent } from '../../src/machine/event.js';
import type { Execution } from '../../src/run/execution.js';
import { pipeline, resumePipeline, runOnDisk } from '../run/harness.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const line = pipeline('a', 'start -> a -> exit');
const gate = pipeline('g [shape=hexagon, label="Go on?"]', 'start -> g', 'g -> exit [label="Yes"]');

async function all(events: AsyncIterable<RunEvent>): Promise<readonly RunEvent[]> {
  const collected: RunEvent[] = [];
  for await (const event of events) collected.push(event);
  return collected;
}

test('a run that has ended has its events, from any of them on', async () => {
  const { directory, events } = await runOnDisk(line);
  expect(await all(followEvents(directory))).toEqual(events);
  expect(await all(followEvents(directory, { from: 4 }))).toEqual(events.slice(3));
  expect(await all(followEvents(directory, { from: 1000 }))).toEqual([]);
});

test('whoever follows a run that is cancelled also hears what the interrupted reply has cost', async () => {
  const heard: RunEvent[] = [];
  let execution: Execution | undefined;
  let following: Promise<void> | undefined;
  const follow = async (directory: string, onEnd: () => void): Promise<void> => {
    for await (const event of followEvents(directory)) {
      heard.push(event);
      if (event.type === 'PipelineCancelled') onEnd();
    }
  };
  const { directory, events } = await runOnDisk(line, {
    backend: {
      async run(_node, _prompt, _context, call) {
        const isOver = new Promise<void>((resolve) => {
          following = follow(execution?.directory ?? '', resolve);
        });
        setImmediate(() => execution?.cancel());
        await untilAborted(new Promise<never>(() => undefined), call.signal);
        await isOver;
        const usage = { requests: 1, input_tokens: 60, output_tokens: 40 };
        call.report({ kind: 'model_used', provider: 'test', model: 'm', usage });
        throw call.signal.reason;
      },
    },
    onStart: (started) => {
      execution = started;
    },
  });
  expect(events.slice(-2).map(({ type }) => type)).toEqual(['PipelineCancelled', 'ModelUsed']);
  await following;
  expect(heard).toEqual(events);
  expect(await all(followEvents(directory))).toEqual(events);
});

test('a run that is paused is followed on when it is resumed', async () => {
  const { directory, events } = await runOnDisk(gate);
  expect(events.at(-1)?.type).toBe('PipelinePaused');
  const followed = followEvents(directory);
  const before: RunEvent[] = [];
  while (before.length < events.length) before.push((await followed.next()).value);
  const [rest, resumed] = await Promise.all([
    all(followed),
    resumePipeline(directory, { answers: { g: 'Yes' } }),
  ]);
  expect(before).toEqual(events);
  expect(rest).toEqual(resumed.events);
});

test('a run that nobody resumes is left by whoever stops waiting, or by the signal', async () => {
  const { directory, events } = await runOnDisk(gate);
  const followed = followEvents(directory, { from: events.length });
  await followed.next();
  const next = followed.next();
  await followed.return?.();
  expect(await next).toEqual({ done: true, value: undefined });

  const stop = new AbortController();
  const reading = all(followEvents(directory, { signal: stop.signal }));
  setImmediate(() => stop.abort());
  expect(events).toEqual(expect.arrayContaining([...(await reading)]));
  expect(await all(followEvents(directory, { signal: stop.signal }))).toEqual([]);
});

test('a directory without a run is told', async () => {
  await expect(all(followEvents(temporaryDirectory()))).rejects.toMatchObject({ code: 'run_not_found' });
});

test('a line that is damaged is named', async () => {
  const { directory, events } = await runOnDisk(gate);
  appendFileSync(path.join(directory, 'events.jsonl'), `{"seq":${events.length + 1},"type":"LogAppended"}\n`);
  await expect(all(followEvents(directory))).rejects.toMatchObject({
    code: 'run_damaged',
    message: expect.stringMatching(`damaged in line ${events.length + 1}: its hash is missing`),
  });
});
