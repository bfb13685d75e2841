import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Program } from '../../../src/graph/program.js';
import { readJournal } from '../../../src/journal/journal.js';
import type { RunEvent } from '../../../src/machine/event.js';
import { foldJournal } from '../../../src/run/recorded-session.js';
import type { FileSystem } from '../../../src/run-directory/file-system.js';
import { programOf } from '../../run/harness.js';
import { checkpointAsRead } from '../../support/checkpoint-as-read.js';

/** A checkpoint that was written, and what the journal amounted to at that moment, up to the same event. */
export interface FoldedCheckpoint {
  readonly written: object;
  readonly folded: object;
}

/** Passes everything on, and folds the journal whenever a checkpoint takes its place. */
export function watchCheckpoints(
  fileSystem: FileSystem,
  onCheckpoint: (checkpoint: FoldedCheckpoint) => void,
): FileSystem {
  return {
    ...fileSystem,
    rename(from, to) {
      fileSystem.rename(from, to);
      if (path.basename(to) === 'checkpoint.json') onCheckpoint(foldedCheckpoint(path.dirname(to)));
    },
  };
}

/** The checkpoint of a run directory next to the fold of its journal. */
export function foldedCheckpoint(directory: string): FoldedCheckpoint {
  const read = (name: string): string => readFileSync(path.join(directory, name), 'utf8');
  const { timestamp: _time, ...written } = JSON.parse(read('checkpoint.json'));
  const journal = readJournal(path.join(directory, 'events.jsonl'));
  const events = journal.events.filter(({ seq }: RunEvent) => seq <= written.seq);
  const state = foldJournal(compiled(read('pipeline.dot')), { ...journal, events }, directory);
  const { timestamp: _then, ...folded } = checkpointAsRead(
    state,
    JSON.parse(read('manifest.json')).graph_hash,
  );
  return { written, folded };
}

const programs = new Map<string, Program>();

/** Each pipeline only once: there are thousands of runs. */
function compiled(dot: string): Program {
  const program = programs.get(dot) ?? programOf(dot, ['work']);
  programs.set(dot, program);
  return program;
}
