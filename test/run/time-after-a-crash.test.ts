import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { renderStatus } from '../../src/cli/output/render-status.js';
import { journalText } from '../../src/journal/journal.js';
import type { RunEvent } from '../../src/machine/event.js';
import { linkOf } from '../../src/run-directory/hashed-line.js';
import { overviewOf } from '../../src/view/run-overview.js';
import type { RunResult } from '../../src/view/run-result.js';
import { virtualClock, virtualStart } from '../support/virtual-clock.js';
import { eventsOf, fileOf, pipeline, resumePipeline, runOnDisk, type Setup } from './harness.js';

const hour = 3_600_000;

/** Leaves of a run what its process had written when it was killed, right after an event. @param ahead milliseconds by which its clock was */
function cutOff(directory: string, isLast: (event: RunEvent) => boolean, ahead = 0): void {
  const events = fileOf(directory, 'events.jsonl')
    .trimEnd()
    .split('\n')
    .map((line): RunEvent => JSON.parse(linkOf(line).text));
  const kept = events.slice(0, events.findIndex(isLast) + 1).map((event) => {
    const timestamp = new Date(Date.parse(event.timestamp) + ahead).toISOString();
    return { ...event, timestamp };
  });
  writeFileSync(path.join(directory, 'events.jsonl'), journalText(kept).text);
  for (const name of ['checkpoint.json', 'result.json']) rmSync(path.join(directory, name), { force: true });
}

const startOf =
  (nodeId: string) =>
  (event: RunEvent): boolean =>
    event.type === 'StageStarted' && event.node_id === nodeId;

async function clockAt(time: number) {
  const clock = virtualClock();
  await clock.sleep(time - virtualStart);
  return clock;
}

describe('§12 Graph attributes we add: the timeout of a run that was cut off', () => {
  const dot = pipeline('timeout=10s', 'a', 'b', 'c', 'start -> a -> b -> c -> exit');
  const script = { a: { delay: '4s' }, b: { delay: '4s' }, c: { delay: '4s' } };

  const resumedAfter = async (deadTime: number): Promise<RunResult> => {
    const { directory } = await runOnDisk(dot, { script });
    cutOff(directory, startOf('b'));
    const clock = await clockAt(virtualStart + 4000 + deadTime);
    return (await resumePipeline(directory, { clock, script })).result;
  };

  test('the time for which nobody worked on it does not count', async () => {
    const result = await resumedAfter(hour);
    // Four seconds of a count, and six more.
    expect(result).toMatchObject({
      status: 'fail',
      failed_node: 'c',
      path: ['start', 'a', 'b', 'c'],
      failure_reason: expect.stringContaining('timeout after 10s'),
      duration_ms: hour + 10_000,
    });
  });

  test('what was cut off time and again has as much time as what was not', async () => {
    const { directory } = await runOnDisk(dot.replace('10s', '13s'), { script });
    const ends: string[] = [];
    for (const [round, nodeId] of ['a', 'b', 'c'].entries()) {
      cutOff(directory, startOf(nodeId));
      const clock = await clockAt(virtualStart + (round + 1) * hour);
      ends.push((await resumePipeline(directory, { clock, script })).result.status);
    }
    expect(ends).toEqual(['success', 'success', 'success']);
  });
});

describe('a run continues whose clock was an hour ahead when it was cut off', () => {
  const failsOnce: Setup['script'] = {
    r: [{ outcome: 'fail', retryable: true, retry_after_ms: 20_000 }, { outcome: 'success' }],
  };
  const waits = [
    {
      name: 'the pause before an attempt',
      dot: pipeline('r [max_retries=1]', 'start -> r -> exit'),
      script: failsOnce,
      isLast: (event: RunEvent) => event.type === 'StageRetrying',
      takes: 20_000,
      status: 'success',
    },
    {
      name: 'the timeout of a parallel node',
      dot: pipeline(
        'p [shape=component, timeout=5s]',
        'a; join [shape=tripleoctagon]',
        'start -> p -> a -> join -> exit',
      ),
      script: { a: { delay: '10m' } },
      isLast: startOf('a'),
      takes: 5000,
      status: 'fail',
    },
    {
      name: 'the timeout of the run',
      dot: pipeline('timeout=5s', 'a', 'start -> a -> exit'),
      script: { a: { delay: '10m' } },
      isLast: startOf('a'),
      takes: 5000,
      status: 'fail',
    },
    {
      name: 'the time of a question',
      dot: pipeline(
        'g [shape=hexagon, timeout=5s, human.default_choice="yes"]',
        'start -> g -> exit [label="yes"]',
      ),
      script: {},
      isLast: (event: RunEvent) => event.type === 'InterviewStarted',
      takes: 5000,
      status: 'success',
    },
  ];

  test.each(waits.map((row) => [row.name, row] as const))(
    '%s takes as long as it says',
    async (_name, row) => {
      const { dot, script, isLast, takes, status } = row;
      const { directory } = await runOnDisk(dot, { script });
      cutOff(directory, isLast, hour);
      const clock = virtualClock();
      const { result, events } = await resumePipeline(directory, { clock, script });
      expect(result.status).toBe(status);
      expect(clock.now() - virtualStart).toBe(takes);
      const [resumed] = eventsOf(events, 'PipelineResumed');
      const last = events.at(-1);
      expect(Date.parse(last?.timestamp ?? '') - Date.parse(resumed?.timestamp ?? '')).toBe(takes);
    },
  );
});

test('11.12: an interrupted wait between attempts is waited out, not begun afresh', async () => {
  const dot = pipeline('a [max_retries=1, retry_policy=patient]', 'start -> a -> exit');
  const { directory } = await runOnDisk(dot, { script: { a: [{ outcome: 'retry' }, {}] } });
  cutOff(directory, ({ type }) => type === 'StageRetrying');
  const { events, result } = await resumePipeline(directory);
  expect(events.map(({ type }) => type).slice(0, 2)).toEqual(['PipelineResumed', 'StageStarted']);
  expect(eventsOf(events, 'StageStarted')[0]).toMatchObject({ node_id: 'a', visit: 1, attempt: 2 });
  expect(result.status).toBe('success');
});

test('a status knows of no time before the last event, and of no wait that is longer than it says', async () => {
  const dot = pipeline('r [max_retries=1]', 'start -> r -> exit');
  const script = { r: [{ outcome: 'retry', retry_after_ms: 20_000 }] };
  const { directory } = await runOnDisk(dot, { script });
  cutOff(directory, (event) => event.type === 'StageRetrying', hour);
  const overview = overviewOf(directory, virtualStart);
  expect(overview.duration_ms).toBe(0);
  const live = {
    ...overview,
    status: 'running',
    process: { pid: 1, since: overview.start_time, host: null, worker: null },
  } as const;
  const show = { run: 'r', nameOf: () => 'r', questions: [], color: false, now: virtualStart };
  expect(renderStatus(live, show)).toMatch(/\(just now\)[\s\S]*r waits 20\.0s more for its next attempt/);
});

test('a run that has lost its journal has no status', async () => {
  const { directory } = await runOnDisk(pipeline('a', 'start -> a -> exit'));
  rmSync(path.join(directory, 'events.jsonl'));
  expect(() => overviewOf(directory, virtualStart)).toThrow(/the journal .* is missing/);
});
