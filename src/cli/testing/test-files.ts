import { Chalk } from 'chalk';
import { printableLines } from '../../diagnostic/printable.js';
import { renderPretty } from '../../diagnostic/render-pretty.js';
import type { ExtensionArguments } from '../../setup/extensions.js';
import { UsageError } from '../../setup/usage-error.js';
import {
  coverageJson,
  coverageOf,
  renderCoverage,
  renderLcov,
} from '../../testing/report/render-coverage.js';
import { renderJson } from '../../testing/report/render-json.js';
import { renderJunit } from '../../testing/report/render-junit.js';
import { renderSummary } from '../../testing/report/render-summary.js';
import { renderTap } from '../../testing/report/render-tap.js';
import { type FileResult, isPassed } from '../../testing/run-cases.js';
import { exitCode } from '../exit-code.js';
import { type Io, type OutputStream, terminalWidth, usesColor } from '../io.js';
import { findTestFiles } from './find-test-files.js';
import { type LoadedFile, nearestCase, TestPlayer } from './play-files.js';

export const testFormats = ['pretty', 'tap', 'junit', 'json'] as const;
export const coverageFormats = ['table', 'lcov'] as const;

export interface TestOptions extends ExtensionArguments {
  readonly format: (typeof testFormats)[number];
  readonly filter?: string;
  readonly coverage?: (typeof coverageFormats)[number];
  readonly watch?: true;
  readonly generate?: true;
  readonly mutate?: true;
  readonly fromRun?: string;
}

/** Result of a look at test files. */
export interface TestRound {
  readonly files: readonly FileResult[];
  /** Arguments that match nothing, and files that cannot be read, in words. */
  readonly problems: readonly string[];
  /** Files that were left out, in words. */
  readonly notices: readonly string[];
}

/** `attractor test`: plays the cases, prints the results, and chooses the exit status. */
export async function testFiles(args: readonly string[], options: TestOptions, io: Io): Promise<number> {
  const round = await playTests(args, options, new TestPlayer(options, io), io);
  printRound(round, options, io);
  return statusOf(round);
}

/** Plays the tests once. @throws UsageError if no case has the wanted name */
export async function playTests(
  args: readonly string[],
  options: TestOptions,
  player: TestPlayer,
  io: Pick<Io, 'cwd'>,
): Promise<TestRound> {
  return playLoaded(await loadTests(args, player, io), options, player);
}

/** Test files of a call, read. */
export interface LoadedTests extends Omit<TestRound, 'files'> {
  readonly loaded: readonly LoadedFile[];
}

export async function loadTests(
  args: readonly string[],
  player: TestPlayer,
  io: Pick<Io, 'cwd'>,
): Promise<LoadedTests> {
  const { files, found, problems } = await findTestFiles(args, io);
  const loaded: LoadedFile[] = [];
  const unreadable: string[] = [];
  const foreign: string[] = [];
  for (const file of files) {
    try {
      const one = await player.load(file);
      if (found.has(file) && isForeign(one)) foreign.push(file);
      else loaded.push(one);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      unreadable.push(error.message);
    }
  }
  const notices = foreign.map(
    (file) => `left out: ${file} has no cases of a pipeline; name it to check it all the same`,
  );
  return { loaded, problems: [...problems, ...unreadable], notices };
}

/** Plays what was read. @throws UsageError if no case has the wanted name */
export async function playLoaded(
  { loaded, ...rest }: LoadedTests,
  { filter }: TestOptions,
  player: TestPlayer,
): Promise<TestRound> {
  const files: FileResult[] = [];
  for (const one of loaded) files.push(await player.play(one, filter));
  refuseEmptyFilter(filter, files, loaded);
  return { ...rest, files };
}

/** True for a file of another program that has such a name: it has no `cases`. */
function isForeign({ read: { document, file } }: LoadedFile): boolean {
  return file === undefined && document.errors.length === 0 && !document.has('cases');
}

function refuseEmptyFilter(
  filter: string | undefined,
  results: readonly FileResult[],
  loaded: readonly LoadedFile[],
): void {
  const isUsable = results.length > 0 && results.every(({ diagnostics }) => diagnostics.length === 0);
  if (filter === undefined || !isUsable || results.some(({ cases }) => cases.length > 0)) return;
  const nearest = nearestCase(filter, loaded);
  const hint = nearest === undefined ? '' : `; did you mean "${nearest}"?`;
  throw new UsageError(`no case has "${filter}" in its name${hint}`);
}

/** Prints results to standard output, mistakes and problems to standard error. */
export function printRound(
  { files, problems, notices }: TestRound,
  { format, coverage }: TestOptions,
  io: Io,
): void {
  for (const line of [...problems, ...notices]) io.stderr.write(`attractor: ${printableLines(line)}\n`);
  if (format === 'pretty') io.stderr.write(mistakesText(files, io, io.stderr));
  if (coverage === 'lcov') {
    io.stderr.write(resultText(files, 'pretty', io, io.stderr));
    io.stdout.write(renderLcov(coverageOf(files)));
    return;
  }
  io.stdout.write(resultText(files, format, io, io.stdout, coverage));
}

/** Findings about test files and their pipelines. */
export function mistakesText(files: readonly FileResult[], io: Io, stream: OutputStream): string {
  const unusable = files.filter(({ diagnostics }) => diagnostics.length > 0);
  return renderPretty(
    unusable.map(({ read: { source }, diagnostics }) => ({ source, diagnostics })),
    { color: usesColor(io, stream), width: terminalWidth(io, stream) },
  );
}

export function resultText(
  files: readonly FileResult[],
  format: TestOptions['format'],
  io: Io,
  stream: OutputStream,
  coverage?: TestOptions['coverage'],
): string {
  const chalk = new Chalk({ level: usesColor(io, stream) ? 1 : 0 });
  switch (format) {
    case 'tap':
      return renderTap(files);
    case 'junit':
      return renderJunit(files);
    case 'json':
      return renderJson(files, coverage && { coverage: coverageOf(files).map(coverageJson) });
    case 'pretty':
      return renderSummary(files, chalk) + (coverage ? `\n${renderCoverage(coverageOf(files), chalk)}` : '');
  }
}

export function statusOf({ files, problems }: TestRound): number {
  if (problems.length > 0 || files.some(({ diagnostics }) => diagnostics.length > 0)) return exitCode.usage;
  const hasFailed = files.some(({ cases }) => cases.some((one) => !isPassed(one)));
  return hasFailed ? exitCode.failure : exitCode.ok;
}
