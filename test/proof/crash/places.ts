import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { readJournal } from '../../../src/journal/journal.js';
import type { RunEvent } from '../../../src/machine/event.js';

/** Which attempt it is, as far as one run knows. */
export interface AttemptName {
  readonly node_id: string;
  readonly visit: number;
  readonly attempt: number;
}

export function attemptKey({ node_id, visit, attempt }: AttemptName): string {
  return `${node_id}#${visit}.${attempt}`;
}

/**
 * What goes before the keys of the attempts of a run, or of a restart of it, so that they are unique: `restart-1/`, and for
 * a child the attempt that runs it, whose directory may have been moved since.
 */
export function placeOf(runDirectory: string, logsRoot: string): string {
  const parts = path.relative(runDirectory, logsRoot).split(path.sep);
  let directory = runDirectory;
  let place = '';
  for (const part of parts) {
    directory = path.join(directory, part);
    if (part.startsWith('restart-')) place += `${part}/`;
    const manifest = path.join(directory, 'manifest.json');
    if (part !== '' && existsSync(manifest)) {
      place += `${attemptKey(JSON.parse(readFileSync(manifest, 'utf8')).parent)}/`;
    }
  }
  return place;
}

/** The journals of a run and of its children, relative to the run directory; the run's own first. */
export function journalsIn(runDirectory: string): readonly string[] {
  if (!existsSync(runDirectory)) return [];
  return readdirSync(runDirectory, { recursive: true, encoding: 'utf8' })
    .filter((name) => path.basename(name) === 'events.jsonl')
    .sort((one, other) => one.length - other.length);
}

/** The attempts that have settled, as far as the journals on the disk know. */
export function settledOnDisk(home: string): ReadonlySet<string> {
  return new Set(settledEvents(home).map(({ key }) => key));
}

/** The attempts that were stopped, because what they did no longer mattered. */
export function stoppedOnDisk(home: string): ReadonlySet<string> {
  const stopped = settledEvents(home).filter(
    ({ event }) => event.type === 'StageSkipped' && event.outcome.notes?.startsWith('stopped: '),
  );
  return new Set(stopped.map(({ key }) => key));
}

interface Settled {
  readonly key: string;
  readonly event: Extract<RunEvent, { outcome: unknown }>;
}

function settledEvents(home: string): readonly Settled[] {
  const directory = path.join(home, 'run');
  return journalsIn(directory).flatMap((name) => {
    const file = path.join(directory, name);
    const place = placeOf(directory, path.dirname(file));
    const { events } = readJournal(file);
    let restart = '';
    return events.flatMap((event) => {
      if (event.type === 'LoopRestarted') restart = `${event.directory}/`;
      return 'outcome' in event ? [{ key: `${place}${restart}${attemptKey(event)}`, event }] : [];
    });
  });
}
