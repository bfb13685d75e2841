import path from 'node:path';
import { type CompileOptions, compile } from '../compiler/compile.js';
import type { Program } from '../graph/program.js';
import { readJournal } from '../journal/journal.js';
import { StageViews } from '../run/driver/stage-views.js';
import { foldJournal } from '../run/recorded-session.js';
import { restoreViews } from '../run/restore-views.js';
import type { FileSystem } from '../run-directory/file-system.js';
import { readManifest } from '../run-directory/manifest.js';
import { runFiles } from '../run-directory/run-files.js';

/** Writer of the files that follow from the history of runs: status of their stages, checkpoint, result. */
export interface RecordedViews {
  /**
   * @param directory with the history
   * @returns false if nothing was written, because the pipeline does not compile
   */
  write(directory: string, pipeline: string): boolean;
}

/** @param compileOptions language extensions of the pipelines */
export function recordedViews(
  fileSystem: FileSystem,
  compileOptions: CompileOptions | undefined,
): RecordedViews {
  // Children often have the same one.
  const programs = new Map<string, Program | undefined>();
  const programOf = (pipeline: string): Program | undefined => {
    if (!programs.has(pipeline)) programs.set(pipeline, compile(pipeline, compileOptions).program);
    return programs.get(pipeline);
  };
  return {
    write(directory, pipeline) {
      const program = programOf(pipeline);
      const journal = readJournal(path.join(directory, runFiles.journal), fileSystem);
      if (program === undefined) return false;
      if (journal.events.length === 0) return true;
      const views = new StageViews(program);
      const state = foldJournal(program, journal, directory, (event, after) => views.note(event, after));
      const { graph_hash: graphHash } = readManifest(directory, fileSystem);
      restoreViews(directory, journal.end, views, state, graphHash, fileSystem, true);
      return true;
    },
  };
}
