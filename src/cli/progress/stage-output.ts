import { readdirSync } from 'node:fs';
import path from 'node:path';
import { didYouMean } from '../../diagnostic/did-you-mean.js';
import { printableLines } from '../../diagnostic/printable.js';
import { nodeFileSystem } from '../../run-directory/file-system.js';
import { UsageError } from '../../setup/usage-error.js';
import { overviewOf } from '../../view/run-overview.js';
import { exitCode } from '../exit-code.js';
import type { Io } from '../io.js';

const outputs = ['stdout.log', 'stderr.log', 'response.md'];

/**
 * Prints the output of a stage's latest attempt, or of an earlier one of its latest visit, unchanged; to a
 * terminal in a form that cannot steer it. Several files are separated as `tail` does it.
 * @throws UsageError for a stage that this run has not reached
 */
export function printStageOutput(
  directory: string,
  nodeId: string,
  attempt: number | undefined,
  io: Io,
): number {
  const { stage_directory: stages } = overviewOf(directory, Date.now());
  const stageDirectory = path.join(stages, nodeId);
  const files = isPlainName(nodeId) ? filesOf(stageDirectory, attempt) : undefined;
  if (files === undefined) {
    const hint = didYouMean(nodeId, namesIn(stages) ?? []);
    throw new UsageError(
      `the stage "${nodeId}" has no files in this run: it did not start, or wrote none${hint}`,
    );
  }
  const earlier = earlierAttempts(stageDirectory);
  if (attempt !== undefined && files.length === 0)
    throw new UsageError(
      `there are no files of attempt ${attempt} of "${nodeId}"; ${earlier.length === 0 ? 'no attempt has any' : `attempts with files: ${earlier.join(', ')}`}`,
    );
  if (files.length === 0) io.stderr.write(`attractor: the stage "${nodeId}" has printed nothing\n`);
  if (attempt === undefined && earlier.length > 0)
    io.stderr.write(`attractor: earlier attempts: --attempt ${earlier.join(', ')}\n`);
  for (const { name, text } of files) {
    if (files.length > 1) io.stdout.write(`==> ${name} <==\n`);
    const shown = io.stdout.isTTY ? printableLines(text) : text;
    io.stdout.write(shown.endsWith('\n') ? shown : `${shown}\n`);
  }
  return exitCode.ok;
}

interface OutputFile {
  readonly name: string;
  readonly text: string;
}

/** Output files of a stage; each branch that shares it has a separate directory (SEMANTICS 54). */
function filesOf(
  directory: string,
  attempt: number | undefined,
  prefix = '',
): readonly OutputFile[] | undefined {
  const names = namesIn(directory);
  const place = attempt === undefined ? '' : `attempt-${attempt}`;
  if (names === undefined) return undefined;
  const own = outputs
    .map((name) => ({ name: `${prefix}${name}`, text: textOf(path.join(directory, place, name)) }))
    .filter(({ text }) => text !== '');
  const branches = names.filter((name) => /^branch-[0-9]+$/.test(name));
  return [
    ...own,
    ...branches.flatMap((name) => filesOf(path.join(directory, name), attempt, `${prefix}${name}/`) ?? []),
  ];
}

/** Numbers of earlier attempts of the latest visit whose files are kept. */
function earlierAttempts(directory: string): readonly number[] {
  const numbers = (namesIn(directory) ?? []).flatMap((name) => /^attempt-([0-9]+)$/.exec(name)?.[1] ?? []);
  return numbers.map(Number).sort((one, other) => one - other);
}

function isPlainName(nodeId: string): boolean {
  return nodeId === path.basename(nodeId) && !nodeId.startsWith('.');
}

function namesIn(directory: string): readonly string[] | undefined {
  try {
    return readdirSync(directory);
  } catch {
    return undefined;
  }
}

function textOf(file: string): string {
  try {
    return nodeFileSystem.readFile(file).toString('utf8');
  } catch {
    return '';
  }
}
