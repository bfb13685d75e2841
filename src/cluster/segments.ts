import { deserialize, serialize } from 'node:v8';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { Program } from '../graph/program.js';
import { messageOf } from '../handlers/error-category.js';
import { version } from '../version.js';
import type { Segment, Submission } from './durable-run.js';
import { type Content, contentOf, type FileStore, hashOf } from './files/file-store.js';
import { foldedJournal } from './journal-past.js';
import { type HistorySeed, RunHistory } from './run-history.js';

/** Inputs of a run, and of those below it, after which a segment ends (SEMANTICS 140). */
export const segmentInputs = 2000;

/** Place where segments are kept. */
export interface SegmentPlace {
  /** Where the files of the run outlive this worker. */
  readonly store: FileStore;
  /** Called with what makes a takeover slower, as a sentence. */
  readonly onProblem?: ((problem: string) => void) | undefined;
}

/**
 * Stores what a run has come to, so that a repetition begins there, with a history that holds only what comes after.
 * @param program of the run, with which its journal is folded; unknown while recorded steps are repeated
 */
export async function storeSegment(
  history: RunHistory,
  { store, onProblem }: SegmentPlace,
  program: Program | undefined,
): Promise<{ readonly segment: Segment; readonly seed: HistorySeed }> {
  const folded = await (program && foldedJournal(history.run, program, store))?.catch((error: unknown) =>
    onProblem?.(`the journal of a segment could not be folded: ${messageOf(error)}`),
  );
  const { seed, parts } = history.fold(folded ?? undefined);
  const content = contentOf(gzipSync(serialize(seed)));
  await store.put([...parts, content] satisfies readonly Content[]);
  return { segment: { seed: content.sha256, version }, seed };
}

/**
 * Opens a segment.
 * @returns the history as it was at its end; undefined if the seed is of another version, or cannot be had: then the run is repeated from its first step
 */
export async function openSegment(
  { seed: sha256, version: written }: Segment,
  submission: Submission,
  { store, onProblem }: SegmentPlace,
): Promise<RunHistory | undefined> {
  if (written !== version) return undefined;
  try {
    const bytes = (await store.get([sha256])).get(sha256);
    if (bytes === undefined) throw new Error('it is not in the store');
    if (hashOf(bytes) !== sha256) throw new Error('it is damaged');
    return new RunHistory(submission, deserialize(gunzipSync(bytes)) as HistorySeed);
  } catch (error) {
    onProblem?.(
      `the run is repeated from its first step, because its latest segment cannot be had: ${messageOf(error)}`,
    );
    return undefined;
  }
}
