import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Importer } from '../importers/importer.js';
import { describeSystemError } from '../run-directory/run-error.js';
import { locateFile } from '../setup/locate-file.js';
import { replaceFile } from '../setup/replace-file.js';
import { UsageError } from '../setup/usage-error.js';
import type { Io } from './io.js';

/** Name of the migrated file: the same for DOT, `flow.dot` for `flow.yaml` and `flow.json`. */
export function migratedName(file: string, { format }: Pick<Importer, 'format'>): string {
  if (format === 'dot') return file;
  return path.join(path.dirname(file), `${path.basename(file, path.extname(file))}.dot`);
}

/**
 * Writes a migrated pipeline: DOT in place, anything else as a new file. A file that exists already is only accepted if it
 * is the same.
 * @throws UsageError with the reason
 */
export function writeMigrated(
  file: string,
  importer: Pick<Importer, 'format'>,
  text: string,
  before: string,
  io: Pick<Io, 'cwd'>,
): void {
  if (importer.format === 'dot') {
    if (text !== before) replaceFile(file, io.cwd(), text);
    return;
  }
  const name = migratedName(file, importer);
  const target = locateFile(name, io.cwd());
  try {
    writeFileSync(target, text, { flag: 'wx' });
  } catch (error) {
    if (isSame(target, text)) return;
    const isThere = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    const reason = isThere
      ? 'it exists and has other content; move it away first'
      : describeSystemError(error);
    throw new UsageError(`cannot write ${name}: ${reason}`);
  }
}

function isSame(file: string, text: string): boolean {
  try {
    return readFileSync(file, 'utf8') === text;
  } catch {
    return false;
  }
}
