import path from 'node:path';
import type { Program } from '../graph/program.js';
import { messageOf } from '../handlers/error-category.js';
import { checkJournal } from '../journal/check-journal.js';
import {
  beginning,
  damagedJournal,
  type JournalContent,
  readJournal,
  readJournalQuickly,
} from '../journal/journal.js';
import type { RunEvent } from '../machine/event.js';
import { evolveAll } from '../machine/evolve/evolve.js';
import { initialState, type RunState } from '../machine/state.js';
import type { FileSystem } from '../run-directory/file-system.js';
import type { Manifest } from '../run-directory/manifest.js';
import type { RecordedSettings } from '../run-directory/recorded-fields.js';
import { runFiles } from '../run-directory/run-files.js';
import { type CachedDirectory, checkCache } from './cached-directory.js';
import type { RunBasis } from './drive-run.js';
import { historyOf } from './preamble/run-history.js';
import { madeUpBefore } from './simulate/made-up-words.js';

/** Run in a run directory. */
export interface StoredRun {
  readonly directory: string;
  readonly manifest: Manifest;
  /** Compiled again from the `pipeline.dot` of the run. */
  readonly program: Program;
  readonly settings: RecordedSettings;
  /** Set if the directory was made of the history of the run, to drive it there. */
  readonly cache?: CachedDirectory | undefined;
}

/**
 * Session for driving a recorded run, to resume or to cancel it: the state folded from its journal (§5.3,
 * SEMANTICS 66). Call it when the run is locked.
 * @param onFolded called with every event and the state right after it, which changes with the next one
 * @throws RunError `run_damaged` or `storage`
 * @throws TakenOverError if another process has written to a directory that was made to drive it
 */
export function recordedSession(
  { directory, manifest, program, settings, cache }: StoredRun,
  fileSystem: FileSystem,
  onFolded?: (event: RunEvent, state: RunState) => void,
): RunBasis {
  const journal =
    cache === undefined ? journalOf(directory, fileSystem) : ownJournal(cache, directory, fileSystem);
  const state = foldJournal(program, journal, directory, onFolded);
  return {
    program,
    directory,
    state,
    history: historyOf(program, journal.events),
    madeUp: madeUpBefore(journal.events),
    journalEnd: journal.end,
    graphHash: manifest.graph_hash,
    workingDirectory: manifest.working_directory,
    settings,
  };
}

function journalOf(directory: string, fileSystem: FileSystem): JournalContent {
  if (!checkJournal(directory, fileSystem)) return { events: [], end: beginning };
  return readJournal(path.join(directory, runFiles.journal), fileSystem);
}

/** Journal of a directory that was made to drive the run: known by its end, it needs no further check. */
function ownJournal(cache: CachedDirectory, directory: string, fileSystem: FileSystem): JournalContent {
  const journal = checkJournal(directory, fileSystem)
    ? readJournalQuickly(path.join(directory, runFiles.journal), fileSystem)
    : { events: [], end: beginning };
  checkCache(cache, directory, { seq: journal.events.at(-1)?.seq ?? 0, journalEnd: journal.end });
  return journal;
}

/**
 * State folded from a journal.
 * @param onFolded called with every event and the state right after it, which changes with the next one
 * @throws RunError `run_damaged` for events that contradict each other
 */
export function foldJournal(
  program: Program,
  journal: JournalContent,
  directory: string,
  onFolded?: (event: RunEvent, state: RunState) => void,
): RunState {
  const onMisfit = (event: RunEvent, error: unknown): never => {
    const file = path.join(directory, runFiles.journal);
    throw damagedJournal(file, event.seq, `its event ${event.type} does not fit (${messageOf(error)})`);
  };
  return evolveAll(program, initialState, journal.events, onMisfit, onFolded);
}
