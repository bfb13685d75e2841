import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';

/**
 * Recordings of what the systems do from which ideas of this project came: graphs, what went into their runs, and what came
 * out. They lie outside the repository like the corpus, in `../shared/samples`, or where `ATTRACTOR_SAMPLES` says.
 */
const folder = process.env.ATTRACTOR_SAMPLES ?? join(import.meta.dirname, '../../../shared/samples');

/** Without the folder there is nothing to compare with, unless it was asked for by name. */
export const hasSamples = existsSync(folder);
if (!hasSamples && process.env.ATTRACTOR_SAMPLES !== undefined)
  throw new Error(`ATTRACTOR_SAMPLES names ${folder}, which does not exist`);

export function sampleText(path: string): string {
  return readFileSync(join(folder, path), 'utf8');
}

/** Names of the files of a folder; none without the samples. */
export function sampleNames(path: string): readonly string[] {
  return hasSamples ? readdirSync(join(folder, path)).sort() : [];
}

export function sampleJson(path: string): unknown {
  return JSON.parse(sampleText(path));
}

/** What differs from a recording on purpose: the value that we have instead, and why. */
export interface Exception {
  readonly ours: unknown;
  readonly why: string;
}

type Exceptions = Readonly<Record<string, Exception>>;

/** What is to be seen of a run: the recorded values, but for those that differ on purpose. */
export function withExceptions<Seen extends object>(recorded: Seen, exceptions: Exceptions = {}): object {
  const expected = new Map<string, unknown>(Object.entries(recorded));
  for (const [field, { ours, why }] of Object.entries(exceptions)) {
    if (isDeepStrictEqual(expected.get(field), ours))
      throw new Error(`no longer an exception: ${field}, ${why}`);
    expected.set(field, ours);
  }
  return Object.fromEntries(expected);
}
