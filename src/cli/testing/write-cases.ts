import { existsSync, writeFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { describeSystemError } from '../../run-directory/run-error.js';
import { locateFile } from '../../setup/locate-file.js';
import { replaceFile } from '../../setup/replace-file.js';
import { UsageError } from '../../setup/usage-error.js';
import { type NewCase, withCases } from '../../testing/generate/case-text.js';
import { type ReadTestFile, readTestFile } from '../../testing/read-test-file.js';
import type { TestCase } from '../../testing/test-file.js';
import type { Io } from '../io.js';
import { schemaModeline } from '../package/schema-modeline.js';

/**
 * Adds cases to a test file, or writes a new one. What people wrote stays.
 * @param before the file as it is; undefined for a new one
 * @param replaces true if earlier generated cases go
 * @throws UsageError for a file that cannot be written
 */
export function writeCases(
  file: string,
  before: ReadTestFile | undefined,
  cases: readonly NewCase[],
  replaces: boolean,
  io: Pick<Io, 'cwd'>,
): void {
  const text = withCases(before?.source.text, cases, replaces);
  checkKept(file, before, text, replaces);
  if (before !== undefined) return replaceFile(file, io.cwd(), text);
  try {
    writeFileSync(locateFile(file, io.cwd()), `${schemaModeline('test')}${text}`, { flag: 'wx' });
  } catch (error) {
    throw new UsageError(`cannot write ${file}: ${describeSystemError(error)}`);
  }
}

/** Looks at the new text before it takes the place of the old one. */
function checkKept(file: string, before: ReadTestFile | undefined, text: string, replaces: boolean): void {
  const keptOf = (read: ReadTestFile | undefined): readonly TestCase[] =>
    (read?.file?.cases ?? []).filter(({ generated }) => !replaces || generated !== true);
  const after = readTestFile(text, file);
  const own = keptOf(before);
  const isKept = after.file !== undefined && isDeepStrictEqual(keptOf(after).slice(0, own.length), own);
  if (isKept) return;
  throw new UsageError(
    `cannot add cases to ${file} without changing others: write its cases as a list, one below the other`,
  );
}

/** A test file, if there is one. */
export function isThere(file: string, io: Pick<Io, 'cwd'>): boolean {
  return existsSync(locateFile(file, io.cwd()));
}
