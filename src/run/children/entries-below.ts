import path from 'node:path';
import { compareNames } from '../../run-directory/compare-names.js';
import type { FileSystem } from '../../run-directory/file-system.js';
import { type Manifest, readManifest } from '../../run-directory/manifest.js';
import { RunError } from '../../run-directory/run-error.js';
import { holdsRun, runFiles } from '../../run-directory/run-files.js';
import { nameInParent } from '../questions/child-interviewer.js';
import { readableEvents } from './child-watch.js';

/** Attempt of a stage of a child. */
interface ChildAttempt {
  readonly runId: string;
  /** Number of the attempt among those of its stage in its run. */
  readonly execution: number;
}

interface BegunAttempt extends ChildAttempt {
  /** Name of its stage in a script. */
  readonly name: string;
  /** ISO 8601. */
  readonly begun: string;
}

/** Numbers of the script entries for stages of all runs below a run, by the names of the stages in a script. */
export class EntriesBelow {
  readonly #entries = new Map<string, Map<string, number>>();
  readonly #answered = new Map<string, number>();

  /** Number of the answers that the questions of a stage have had before this process. */
  answered(name: string): number {
    return this.#answered.get(name) ?? 0;
  }

  /** Number of the entry for an attempt: attempts take them in the order in which they begin, and keep them when they run again. */
  entryOf(name: string, { runId, execution }: ChildAttempt): number {
    const taken = this.#entries.get(name) ?? new Map<string, number>();
    this.#entries.set(name, taken);
    const attempt = JSON.stringify([runId, execution]);
    // A child that was resumed by itself may follow a script that the run above does not have, whose entries were not counted here.
    const entry = taken.get(attempt) ?? Math.max(taken.size, execution);
    taken.set(attempt, entry);
    return entry;
  }

  /** Counts what the runs below a run have used by now, from their journals: that of the run does not say it. */
  addFrom(directory: string, fileSystem: FileSystem): void {
    const begun = [...childrenBelow(directory, (name) => name, fileSystem)].flatMap((child) =>
      this.#read(child),
    );
    // Branches take turns, so the order of their runs is not that of their attempts.
    begun.sort((one, other) => (one.begun < other.begun ? -1 : one.begun > other.begun ? 1 : 0));
    for (const attempt of begun) this.entryOf(attempt.name, attempt);
  }

  #read({ directory, runId, named }: ChildPlace): readonly BegunAttempt[] {
    const executions = new Map<string, number>();
    const begun: BegunAttempt[] = [];
    for (const event of readableEvents(path.join(directory, runFiles.journal))) {
      if (event.type === 'StageStarted' && event.resumed !== true) {
        const execution = executions.get(event.node_id) ?? 0;
        executions.set(event.node_id, execution + 1);
        begun.push({ name: named(event.node_id), runId, execution, begun: event.timestamp });
      } else if (event.type === 'InterviewCompleted' || event.type === 'InterviewTimeout') {
        const name = named(event.stage);
        this.#answered.set(name, this.answered(name) + 1);
      }
    }
    return begun;
  }
}

interface ChildPlace {
  readonly directory: string;
  readonly runId: string;
  /** Changes the name of a stage of the child into that in a script of the run above all. */
  readonly named: (stage: string) => string;
}

/** All runs below a run, those of earlier visits and attempts included; their directories are never links. */
function* childrenBelow(
  directory: string,
  named: ChildPlace['named'],
  fileSystem: FileSystem,
): Generator<ChildPlace> {
  const above = manifestIn(directory, fileSystem);
  if (above === undefined) return;
  for (const stage of stagesOf(directory, fileSystem)) {
    for (const child of childrenOf(stage, fileSystem)) {
      const manifest = manifestIn(child, fileSystem);
      if (manifest?.parent === undefined || manifest.parent.run_id !== above.run_id) continue;
      const { node_id: nodeId } = manifest.parent;
      const below = (name: string): string => named(nameInParent(nodeId, name));
      yield { directory: child, runId: manifest.run_id, named: below };
      yield* childrenBelow(child, below, fileSystem);
    }
  }
}

const ofTheRun: ReadonlySet<string> = new Set(Object.values(runFiles));

function stagesOf(directory: string, fileSystem: FileSystem): readonly string[] {
  return directoriesIn(directory, fileSystem)
    .filter((name) => !ofTheRun.has(name))
    .flatMap((name) => {
      const place = path.join(directory, name);
      return /^restart-[0-9]+$/.test(name) ? [place, ...stagesOf(place, fileSystem)] : [place];
    });
}

/** Runs that a stage has started, with those of its earlier visits, and of the branches that execute it. */
function childrenOf(stage: string, fileSystem: FileSystem): readonly string[] {
  return directoriesIn(stage, fileSystem).flatMap((name) => {
    const place = path.join(stage, name);
    if (/^(?:visit|branch)-[0-9]+$/.test(name)) return childrenOf(place, fileSystem);
    // The second number is that of a run that was put aside.
    return /^child(?:-[0-9]+)?(?:\.[0-9]+)?$/.test(name) && holdsRun(place, fileSystem) ? [place] : [];
  });
}

function directoriesIn(directory: string, fileSystem: FileSystem): readonly string[] {
  return fileSystem
    .readdir(directory)
    .filter((name) => fileSystem.stat(path.join(directory, name))?.isDirectory() === true)
    .sort(compareNames);
}

/** Manifest of a run; undefined if it is damaged, which a resume of that run reports. */
function manifestIn(directory: string, fileSystem: FileSystem): Manifest | undefined {
  try {
    return readManifest(directory, fileSystem);
  } catch (error) {
    if (error instanceof RunError) return undefined;
    throw error;
  }
}
