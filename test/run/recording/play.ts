import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { comparedRun } from '../../../src/run/recording/compared-run.js';
import { type JournalDifference, journalDifference } from '../../../src/run/recording/journal-difference.js';
import type { FileSystem } from '../../../src/run-directory/file-system.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { type PipelineRun, runOnDisk, type Setup } from '../harness.js';
import { type Scenario, type ScriptedBackend, scriptedBackend } from './scenarios.js';

export interface RecordedScenario extends PipelineRun {
  readonly home: string;
  readonly backend: ScriptedBackend;
}

/** Runs a scenario in `<home>/run`, with a recording. */
export async function recordScenario(
  scenario: Scenario,
  setup: Setup & { readonly fileSystem?: FileSystem } = {},
  home = temporaryDirectory(),
): Promise<RecordedScenario> {
  const backend = scriptedBackend(scenario);
  const run = await runOnDisk(scenario.dot, {
    ...setupOf(scenario, home),
    ...(scenario.people && { answers: scenario.people }),
    ...{ backend, record: true, runDirectory: path.join(home, 'run') },
    ...setup,
  });
  return { ...run, home, backend };
}

/** What all runs of a scenario are given; its files are there. */
export function setupOf({ files = {}, inputs, handlers }: Scenario, home: string): Setup {
  mkdirSync(home, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(home, name), text);
  return {
    workingDirectory: home,
    sourcePath: path.join(home, 'main.dot'),
    ...(inputs && { inputs }),
    ...(handlers && { handlers }),
  };
}

/** Plays a run back elsewhere: whatever real it would do there fails or leaves a trace. */
export function replayScenario(
  scenario: Scenario,
  recorded: string,
  setup: Setup = {},
): Promise<PipelineRun> {
  const home = temporaryDirectory();
  const { inputs: _given, ...rest } = setupOf(scenario, home);
  const forbidden = Object.fromEntries(
    Object.keys(scenario.handlers ?? {}).map((type) => [
      type,
      () => Promise.reject(new Error('really done')),
    ]),
  );
  return runOnDisk(scenario.dot, {
    ...rest,
    backend: { run: () => Promise.reject(new Error('really asked')) },
    handlers: forbidden,
    replay: recorded,
    ...setup,
  });
}

/** Where the journals of two runs differ, or of a child that both have. */
export function differenceOf(one: string, other: string, inside = ''): JournalDifference | undefined {
  return journalDifference(comparedRun(path.join(one, inside)), comparedRun(path.join(other, inside)));
}
