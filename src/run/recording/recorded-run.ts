import path from 'node:path';
import { readJournal } from '../../journal/journal.js';
import type { RunEvent } from '../../machine/event.js';
import { type FileSystem, nodeFileSystem } from '../../run-directory/file-system.js';
import { type Manifest, readManifest } from '../../run-directory/manifest.js';
import { RunError } from '../../run-directory/run-error.js';
import { runFiles } from '../../run-directory/run-files.js';
import type { Exchange, ExchangeName, RecordedSession } from './exchange.js';
import { isRecorded, readRecordingFile } from './recording-file.js';
import { attemptKey, givenUpAttempts, settledAttempts } from './settled-attempts.js';

/** Run to be played back, as read from its files. */
export interface RecordedRun {
  readonly directory: string;
  readonly manifest: Manifest;
  readonly events: readonly RunEvent[];
  /** Processes that took part in it; none if nothing was recorded. */
  readonly sessions: readonly RecordedSession[];
  exchange(name: ExchangeName): Exchange | undefined;
  /** True if an attempt had an outcome. */
  hasSettled(name: Omit<ExchangeName, 'call'>): boolean;
  /**
   * True if an attempt was stopped for good, because the run continued without it or failed.
   * @param key `attemptKey`
   */
  wasGivenUp(key: string): boolean;
}

/**
 * Reads a run to replay it.
 * @throws RunError `usage` if it was not recorded, `run_not_found`, `run_damaged` or `storage`
 */
export function readRecordedRun(directory: string, fileSystem: FileSystem = nodeFileSystem): RecordedRun {
  const manifest = readManifest(directory, fileSystem);
  if (!isRecorded(directory, fileSystem)) throw notRecorded(directory);
  const { lines } = readRecordingFile(path.join(directory, runFiles.recording), fileSystem);
  const sessions = lines.filter((line) => line.kind === 'session');
  const exchanges = latestExchanges(lines.filter((line) => line.kind === 'exchange'));
  const { events } = readJournal(path.join(directory, runFiles.journal), fileSystem);
  const settled = new Set(settledAttempts(events).map(attemptKey));
  const givenUp = new Set(givenUpAttempts(events).map(attemptKey));
  return {
    directory,
    manifest,
    events,
    sessions,
    exchange: (name) => exchanges.get(attemptKey(name))?.get(name.call),
    hasSettled: (name) => settled.has(attemptKey(name)),
    wasGivenUp: (key) => givenUp.has(key),
  };
}

function notRecorded(directory: string): RunError {
  return new RunError(
    'usage',
    `${directory} has no recording, so it cannot be replayed. Only runs started with \`--record\` (\`record: true\`) have one; \`attractor replay ${directory} --with FILE\` needs none`,
  );
}

/**
 * Latest exchanges of each attempt: one that was cut off was repeated by another process, whose exchanges
 * count.
 */
function latestExchanges(exchanges: readonly Exchange[]): ReadonlyMap<string, ReadonlyMap<number, Exchange>> {
  const latest = new Map<string, Map<number, Exchange>>();
  for (const exchange of exchanges) {
    const key = attemptKey(exchange);
    const previous = latest.get(key);
    const [first] = previous?.values() ?? [];
    if (previous === undefined || first?.session !== exchange.session)
      latest.set(key, new Map([[exchange.call, exchange]]));
    else previous.set(exchange.call, exchange);
  }
  return latest;
}
