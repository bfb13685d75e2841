import { readFileSync, rmSync, truncateSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { resumePipeline } from '../../run/harness.js';
import { differenceOf, recordScenario, replayScenario, setupOf } from '../../run/recording/play.js';
import { type Scenario, scriptedBackend } from '../../run/recording/scenarios.js';
import { faultyFileSystem } from '../../support/faulty-file-system.js';
import { journalsIn } from './places.js';
import { type Cut, lineEnds, type Moment, makeCut, momentRecorder } from './recorded-moments.js';

/**
 * Cuts a recorded run off after the lines of its journals, and continues: what came of that is played back to the same journal, and
 * to the one of a run that nothing happened to.
 * @param stride one line in so many; each means two more runs
 * @returns how many runs continued
 */
export async function cutRecordedRun(scenario: Scenario, home: string, stride: number): Promise<number> {
  const runHome = path.join(home, 'whole');
  const recorder = momentRecorder(path.join(runHome, 'run'), path.join(home, 'moments'));
  const whole = await recordScenario(scenario, { fileSystem: recorder }, runHome);
  let runs = 0;
  for (const [moment, size] of cutsIn(recorder.moments, stride)) {
    const cut = path.join(home, 'cut');
    const others = runs % 2 === 0 ? 'as they were' : 'as they were, without views';
    try {
      if (!(await goOnFrom(scenario, { moment, size, others }, whole.directory, cut))) continue;
      const replayed = await replayScenario(scenario, path.join(cut, 'run'));
      const name = `${moment.journal} cut off at byte ${size}`;
      expect.soft(replayed.result.failure_reason, name).toBe(whole.result.failure_reason);
      for (const journal of journalsIn(whole.directory)) {
        const inside = path.dirname(journal);
        const cutRun = path.join(cut, 'run');
        expect.soft(differenceOf(cutRun, replayed.directory, inside)?.diff, name).toBeUndefined();
        if (scenario.hasRace) continue;
        expect.soft(differenceOf(whole.directory, replayed.directory, inside)?.diff, name).toBeUndefined();
      }
      runs += 1;
    } finally {
      rmSync(cut, { recursive: true, force: true });
    }
  }
  return runs;
}

function* cutsIn(moments: readonly Moment[], stride: number): Iterable<readonly [Moment, number]> {
  let count = 0;
  for (const moment of moments) {
    for (const size of lineEnds(moment)) {
      count += 1;
      if (count % stride === 0) yield [moment, size];
    }
  }
}

/** @returns false where there can be no such cut, or nothing of a run was there */
async function goOnFrom(scenario: Scenario, cut: Cut, end: string, home: string): Promise<boolean> {
  const directory = path.join(home, 'run');
  if (!makeCut(cut, end, directory)) return false;
  // What the process was writing to the recording when it was cut off.
  const recording = path.join(directory, path.dirname(cut.moment.journal), 'recording.jsonl');
  const bytes = readFileSync(recording);
  const lastLine = bytes.subarray(0, -1).lastIndexOf(0x0a) + 1;
  const isTorn = lastLine > 0 && lastExchangeIsUnsettled(bytes.subarray(lastLine), directory, cut);
  if (isTorn) truncateSync(recording, lastLine + Math.floor((bytes.length - lastLine) / 2));
  const { inputs: _given, ...setup } = setupOf(scenario, home);
  await resumePipeline(directory, {
    ...setup,
    ...(scenario.people && { answers: answersLeft(scenario.people) }),
    backend: scriptedBackend(scenario),
    fileSystem: faultyFileSystem(),
  });
  return true;
}

/** A line that something settled rests on was durable before. */
function lastExchangeIsUnsettled(line: Buffer, directory: string, { moment }: Cut): boolean {
  const { kind, node_id, visit, attempt } = JSON.parse(line.toString('utf8'));
  if (kind !== 'exchange') return false;
  const journal = readFileSync(path.join(directory, moment.journal), 'utf8');
  const lines = journal
    .slice(0, journal.lastIndexOf('\n') + 1)
    .split('\n')
    .slice(0, -1);
  return !lines.some((text) => {
    const event = JSON.parse(text);
    return (
      'outcome' in event && event.node_id === node_id && event.visit === visit && event.attempt === attempt
    );
  });
}

/** All answers in these scenarios are the same, so that nobody has to know how many were given. */
function answersLeft(people: NonNullable<Scenario['people']>): Record<string, readonly string[]> {
  return Object.fromEntries(
    Object.entries(people).map(([id, answers]) => {
      const [first = ''] = [answers].flat();
      return [id, [first, first, first]];
    }),
  );
}
