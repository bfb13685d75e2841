import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { RunEvent } from '../../../src/machine/event.js';
import { reroute } from '../../../src/run/recording/reroute.js';
import { cancel } from '../../../src/run/run.js';
import { virtualClock } from '../../support/virtual-clock.js';
import { eventsOf, pipeline, programOf, resumePipeline, type Setup } from '../harness.js';
import { differenceOf, type RecordedScenario, recordScenario, replayScenario } from './play.js';
import type { Scenario } from './scenarios.js';

function scenarioOf(...statements: readonly string[]): Scenario {
  return { name: 'stopped', dot: pipeline(...statements), path: '', status: 'paused' };
}

const plain = scenarioOf('a; b', 'start -> a -> b -> exit');
const told = [{ kind: 'tool_call_started', call_id: '1', tool: 'edit', input: {} }] as const;
const hanging: Scenario = { ...plain, answers: { 'b#1.1': 'until stopped' }, tells: { 'b#1.1': told } };
const gate = scenarioOf('a; g [shape=hexagon]; c', 'start -> a -> g; g -> c [label=go]; c -> exit');
const branches = scenarioOf(
  'fan [shape=component]; x; y; z; meet [shape=tripleoctagon]',
  'start -> fan; fan -> x -> z -> meet; fan -> y -> meet; meet -> exit',
);
const slowBranches: Scenario = {
  ...branches,
  takes: { 'x#1.1': 5, 'y#1.1': 10 },
  answers: { 'z#1.1': 'until stopped' },
};

/** Records a run that is stopped as soon as a stage has started. */
function stoppedAt(scenario: Scenario, id: string, how: 'cancel' | 'pause now'): Promise<RecordedScenario> {
  const stop = new AbortController();
  return recordScenario(scenario, {
    [how === 'cancel' ? 'signal' : 'pauseSignal']: stop.signal,
    // Only then has it told something; time stands still in a stage that continues until it is stopped.
    onEvent: (event: RunEvent) => {
      if (event.type !== 'StageStarted' || event.node_id !== id) return;
      setImmediate(() => stop.abort({ mode: 'now', reason: 'enough' }));
    },
    interviewer: { ask: () => new Promise(() => undefined) },
  } satisfies Setup);
}

async function expectSameReplay(scenario: Scenario, recorded: RecordedScenario): Promise<void> {
  const replayed = await replayScenario(scenario, recorded.directory);
  expect(replayed.result).toMatchObject({ status: recorded.result.status, path: recorded.result.path });
  expect(differenceOf(recorded.directory, replayed.directory)?.diff).toBeUndefined();
}

describe('76: a run that was cancelled is played back to where it was, and is cancelled there', () => {
  test.each([
    ['in a stage that tells what it does', hanging, 'b'],
    ['while a person is asked', gate, 'g'],
    ['in a branch', slowBranches, 'z'],
  ])('%s', async (_name, scenario, id) => {
    const recorded = await stoppedAt(scenario, id, 'cancel');
    expect(recorded.result.status).toBe('cancelled');
    await expectSameReplay(scenario, recorded);
  });

  test('when it had paused', async () => {
    const recorded = await recordScenario(gate);
    expect(recorded.result.status).toBe('paused');
    const result = await cancel(recorded.directory, { clock: virtualClock() });
    await expectSameReplay(gate, { ...recorded, result: result as RecordedScenario['result'] });
    expect(result.status).toBe('cancelled');
  });

  test('and one that was left is not taken for cancelled', async () => {
    const recorded = await stoppedAt(hanging, 'b', 'cancel');
    const { result } = await replayScenario(
      { ...hanging, dot: hanging.dot.replace('Do it', 'Do that') },
      recorded.directory,
    );
    expect(result).toMatchObject({ status: 'fail', failed_node: 'a' });
  });
});

describe('a run that was paused at once is played back to there', () => {
  const tool = scenarioOf('a; t [shape=parallelogram, tool_command="sleep 600"]', 'start -> a -> t -> exit');

  test.each([
    ['in a stage that tells what it does', hanging, 'b'],
    ['in a branch', slowBranches, 'z'],
    ['in a tool', tool, 't'],
  ])('%s', async (_name, scenario, id) => {
    const recorded = await stoppedAt(scenario, id, 'pause now');
    expect(recorded.result.status).toBe('paused');
    await expectSameReplay(scenario, recorded);
  });
});

describe('a run that was cut off between two stages, with which nobody continued', () => {
  test('is played back to there, and the replay says so', async () => {
    const recorded = await recordScenario({ ...plain, status: 'success' });
    const cut = cutter(recorded.directory);
    const { lines } = cut;
    const ends = lines.findIndex((line) => isOf(line, 'StageCompleted', 'a'));
    const next = lines.findIndex((line) => isOf(line, 'StageStarted', 'b'));
    expect(next).toBeGreaterThan(ends);
    for (let kept = ends + 1; kept <= next; kept += 1) {
      cut.keep(kept);
      const replayed = await replayScenario(plain, recorded.directory);
      expect(replayed.result).toMatchObject({ status: 'paused', path: ['start', 'a'] });
      expect(replayed.result.paused_reason).toContain(
        'the recording ends here: the recorded run was interrupted',
      );
      expect(differenceOf(recorded.directory, replayed.directory)?.diff).toBeUndefined();
    }
  });

  test('in branches, too: wherever it was', async () => {
    const recorded = await recordScenario({ ...branches, takes: { 'x#1.1': 5, 'y#1.1': 10 } });
    const cut = cutter(recorded.directory);
    for (let kept = 2; kept < cut.lines.length; kept += 1) {
      cut.keep(kept);
      const { result } = await replayScenario(branches, recorded.directory);
      expect.soft(result.failure_reason, `${kept} lines`).toBeUndefined();
      expect.soft(result.status, `${kept} lines`).toBe('paused');
    }
  });

  test('also by a replay that was paused on the way, and continues', async () => {
    const three = scenarioOf('a; b; c', 'start -> a -> b -> c -> exit');
    const recorded = await recordScenario({ ...three, status: 'success' });
    const cut = cutter(recorded.directory);
    cut.keep(cut.lines.findIndex((line) => isOf(line, 'StageCompleted', 'b')) + 1);
    const pause = new AbortController();
    const onEvent = (event: RunEvent): void => {
      if (event.type === 'StageStarted' && event.node_id === 'a')
        pause.abort({ mode: 'after_stage', reason: 'lunch' });
    };
    const replayed = await replayScenario(three, recorded.directory, { onEvent, pauseSignal: pause.signal });
    expect(replayed.result).toMatchObject({ status: 'paused', path: ['start', 'a'] });
    const again = await resumePipeline(replayed.directory);
    expect(again.result).toMatchObject({ status: 'paused', path: ['start', 'a', 'b'] });
    // Nothing is known of what comes next, and never will be.
    const { result } = await resumePipeline(replayed.directory);
    expect(result.failure_reason).toBeUndefined();
    expect(result.status).toBe('paused');
    for (const { paused_reason } of [again.result, result])
      expect(paused_reason).toContain('the recording ends here');
  });

  test('and a stage that was not there is no end of the recording', async () => {
    const recorded = await recordScenario({ ...plain, status: 'success' });
    const cut = cutter(recorded.directory);
    cut.keep(cut.lines.findIndex((line) => isOf(line, 'StageCompleted', 'b')) + 1);
    const dot = plain.dot.replace('start -> a', 'start -> d -> a').replace('a; b', 'a; b; d');
    const { result } = await replayScenario({ ...plain, dot }, recorded.directory);
    expect(result).toMatchObject({ status: 'fail', failed_node: 'd' });
    expect(result.failure_reason).toContain('which was not recorded');
  });
});

/** Keeps some lines of a journal, and of the recording what a stage had come to its outcome by then with. */
function cutter(directory: string) {
  const [journal, recording] = ['events.jsonl', 'recording.jsonl'].map((name) => path.join(directory, name));
  const [lines = [], exchanges = []] = [journal, recording].map((file) =>
    readFileSync(file ?? '', 'utf8')
      .split('\n')
      .slice(0, -1),
  );
  const write = (file = '', kept: readonly string[]): void => writeFileSync(file, `${kept.join('\n')}\n`);
  return {
    lines,
    keep(count: number): void {
      const kept = lines.slice(0, count);
      write(journal, kept);
      const hasSettled = ({ kind, node_id }: { kind: string; node_id: string }): boolean =>
        kind !== 'exchange' || kept.some((line) => isOf(line, 'StageCompleted', node_id));
      write(
        recording,
        exchanges.filter((line) => hasSettled(JSON.parse(line))),
      );
    },
  };
}

function isOf(line: string, type: string, id: string): boolean {
  const event = JSON.parse(line);
  return event.type === type && event.node_id === id;
}

describe('a stage that was stopped for good is stopped again', () => {
  const fan = (attributes: string): string =>
    pipeline(
      `fan [shape=component, ${attributes}]; x; y; meet [shape=tripleoctagon]`,
      'start -> fan; fan -> x -> meet; fan -> y -> meet; meet -> exit',
    );
  const slow: Scenario = {
    ...scenarioOf(),
    dot: fan('timeout="1s", on_failure=continue'),
    takes: { 'x#1.1': 200 },
    answers: { 'y#1.1': 'until stopped' },
    tells: { 'y#1.1': told },
    status: 'success',
  };

  test('where the time of the parallel stage was up', async () => {
    const recorded = await recordScenario(slow);
    expect(recorded.result.status).toBe('success');
    expect(eventsOf(recorded.events, 'ParallelCompleted')).toMatchObject([{ error: 'timeout after 1s' }]);
    await expectSameReplay(slow, recorded);
    const { firstDifference, now } = await reroute(recorded.directory, programOf(slow.dot));
    expect([firstDifference, now.end.status]).toEqual([undefined, 'success']);
  });

  test('where the time of the run was up', async () => {
    const bounded = {
      ...slow,
      dot: slow.dot.replace('fan [', 'timeout="1s"; fan [').replace('"1s", on', '"1h", on'),
    };
    const recorded = await recordScenario(bounded);
    expect(recorded.result.status).toBe('fail');
    await expectSameReplay(bounded, recorded);
  });

  test('where its exchange had ended, and its outcome came too late', async () => {
    const late: Scenario = {
      ...slow,
      dot: fan('join_policy=first_success'),
      answers: {},
      takes: { 'x#1.1': 5 },
    };
    const recorded = await recordScenario({ ...late, takes: { 'x#1.1': 5, 'y#1.1': 900 } });
    // As if it had answered at the moment at which it was stopped.
    const file = path.join(recorded.directory, 'recording.jsonl');
    const lines = readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const answered = lines.map((line) =>
      line.node_id === 'y' ? { ...line, duration: 1, reply: { kind: 'returned', value: 'y says so' } } : line,
    );
    writeFileSync(file, answered.map((line) => `${JSON.stringify(line)}\n`).join(''));
    await expectSameReplay(late, recorded);
  });

  test('and is different where nothing stops it any more', async () => {
    const recorded = await recordScenario(slow);
    const patient = fan('on_failure=continue');
    const { result } = await replayScenario({ ...slow, dot: patient }, recorded.directory);
    expect(result.status).toBe('fail');
    expect(result.failure_reason).toContain(
      '"y" (visit 1, attempt 1) continues, although the recorded run stopped it here',
    );
    const { unknown } = await reroute(recorded.directory, programOf(patient));
    expect(unknown).toBe('the old run has no outcome for visit 1 of "y"');
  });
});
