import path from 'node:path';
import type { Program } from '../graph/program.js';
import { messageOf } from '../handlers/error-category.js';
import { checkJournal } from '../journal/check-journal.js';
import { beginning, damagedJournal, type JournalContent, readJournal } from '../journal/journal.js';
import type { RunEvent } from '../machine/event.js';
import { evolveAll } from '../machine/evolve/evolve.js';
import { initialState, type RunState } from '../machine/state.js';
import type { FileSystem } from '../run-directory/file-system.js';
import type { Manifest } from '../run-directory/manifest.js';
import type { RecordedSettings } from '../run-directory/recorded-fields.js';
import { runFiles } from '../run-directory/run-files.js';
import type { CachedDirectory } from './cached-directory.js';
import type { Continuation } from './continuation.js';
import type { RunBasis } from './drive-run.js';
import type { StageViews } from './driver/stage-views.js';
import { JournalFold } from './journal-fold.js';

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

/** Basis of a session, and what follows from the journal besides. */
export interface RecordedBasis extends RunBasis {
  readonly stageViews: StageViews;
  readonly continuation: Continuation;
}

/**
 * Session for driving a recorded run, to resume or to cancel it: the state folded from its journal (§5.3,
 * SEMANTICS 66). Call it when the run is locked.
 * @param onEvent called with every event that is read
 * @throws RunError `run_damaged` or `storage`
 */
export function recordedSession(
  { directory, manifest, program, settings, cache }: StoredRun,
  fileSystem: FileSystem,
  onEvent?: (event: RunEvent) => void,
): RecordedBasis {
  const { events, end } = cache ?? journalOf(directory, fileSystem);
  const fold = new JournalFold(program, cache?.fold);
  fold.add(events, misfitIn(directory));
  if (onEvent !== undefined) for (const event of events) onEvent(event);
  const { state, history, madeUp, stageViews, continuation } = fold;
  return {
    program,
    directory,
    state,
    history,
    madeUp,
    stageViews,
    continuation,
    journalEnd: end,
    graphHash: manifest.graph_hash,
    workingDirectory: manifest.working_directory,
    settings,
  };
}

function journalOf(directory: string, fileSystem: FileSystem): JournalContent {
  if (!checkJournal(directory, fileSystem)) return { events: [], end: beginning };
  return readJournal(path.join(directory, runFiles.journal), fileSystem);
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
  return evolveAll(program, initialState, journal.events, misfitIn(directory), onFolded);
}

/** Thrower of the error for an event that contradicts those before it. */
function misfitIn(directory: string): (event: RunEvent, error: unknown) => never {
  return (event, error) => {
    const file = path.join(directory, runFiles.journal);
    throw damagedJournal(file, event.seq, `its event ${event.type} does not fit (${messageOf(error)})`);
  };
}
