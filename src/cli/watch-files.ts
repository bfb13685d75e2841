import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type FSWatcher, watch } from 'chokidar';
import { printableLines } from '../diagnostic/printable.js';
import { configurationNames } from '../plugins/find-configuration.js';
import { describeSystemError, RunError } from '../run-directory/run-error.js';
import type { ExtensionArguments } from '../setup/extensions.js';
import { type CheckedFiles, FileChecker, tellProblems } from './check-files.js';
import { exitCode } from './exit-code.js';
import type { Io } from './io.js';
import { isIgnored, namedFiles, searchedFolder } from './named-files.js';
import { type FindingsOptions, printFindings } from './output/print-findings.js';

/** Milliseconds in which several writes of an editor count as one change. */
const settlingMs = 50;
/**
 * Milliseconds after which the files are checked again: a watcher may miss the second of two quick changes,
 * and checking unchanged files is cheap.
 */
const afterwardsMs = 1000;
const clearScreen = '\u001b[2J\u001b[3J\u001b[H';

/** Result of one look at the files. */
export interface Round {
  /** Facts that are shown: a round with the same ones as the round before is not printed. */
  readonly shown: unknown;
  /** Prints to standard output. */
  print(): Promise<void>;
}

/** Checks files, again and again. */
export interface WatchedCheck {
  /** @throws RunError for an unusable configuration, which is shown and tried again */
  check(): Promise<Round>;
  /** Called when a configuration may have changed. */
  forgetConfiguration(): void;
}

/** `lint --watch`: shows the findings, and again whenever they may have changed. Only changed files are compiled again. */
export function watchFindings(
  args: readonly string[],
  options: ExtensionArguments & FindingsOptions,
  io: Io,
): Promise<number> {
  const checker = new FileChecker(options, io);
  const show = (files: CheckedFiles): Round => ({
    shown: shownOf(files),
    async print() {
      await printFindings(files, 'pretty', options, io);
      // In one stream with the findings, so that a round reads in its order.
      tellProblems(files, { stderr: io.stdout });
    },
  });
  const check = {
    check: async () => show(await checker.check(args)),
    forgetConfiguration: () => checker.forgetConfiguration(),
  };
  return watchFiles(args, options, io, check);
}

/**
 * Checks files, and again whenever the result may have changed: when a file changes, comes or goes, or a configuration does.
 * @returns the exit status, after Ctrl-C or when the reader is gone
 */
export async function watchFiles(
  args: readonly string[],
  options: ExtensionArguments,
  io: Io,
  check: WatchedCheck,
): Promise<number> {
  const ended = new Promise<number>((resolve) => {
    io.on('SIGINT', () => resolve(exitCode.interrupted));
    io.stdout.on?.('error', () => resolve(exitCode.ok));
  });
  const rounds = new Rounds(check, io);
  const watchers = await startWatching(args, options, io, (file) => rounds.noteChange(file));
  await rounds.begin();
  try {
    return await Promise.race([ended, rounds.failed]);
  } finally {
    rounds.end();
    await Promise.all(watchers.map((watcher) => watcher.close()));
  }
}

/** One check after the other, each of what the ones before have left unseen. */
class Rounds {
  readonly #io: Io;
  readonly #check: WatchedCheck;
  #shown: Round | undefined;
  #timer: NodeJS.Timeout | undefined;
  #afterwards: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  #fail: (error: unknown) => void = () => undefined;
  /** Rejects where a check ends in an error that no change of a file could mend. */
  readonly failed = new Promise<never>((_, reject) => {
    this.#fail = reject;
  });

  constructor(check: WatchedCheck, io: Io) {
    this.#check = check;
    this.#io = io;
    this.failed.catch(() => undefined);
  }

  begin(): Promise<void> {
    this.#running = this.#round();
    return this.#running;
  }

  end(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#afterwards);
  }

  noteChange(file: string): void {
    if (isConfiguration(file)) this.#check.forgetConfiguration();
    clearTimeout(this.#timer);
    clearTimeout(this.#afterwards);
    this.#timer = setTimeout(() => this.#checkNext(), settlingMs);
    this.#afterwards = setTimeout(() => {
      this.#check.forgetConfiguration();
      this.#checkNext();
    }, afterwardsMs);
  }

  #checkNext(): void {
    this.#running = this.#running.then(() => this.#round());
    this.#running.catch(this.#fail);
  }

  async #round(): Promise<void> {
    const round = await this.#attempt();
    if (this.#shown !== undefined && isDeepStrictEqual(round.shown, this.#shown.shown)) return;
    if (this.#io.stdout.isTTY && this.#io.env.TERM !== 'dumb') this.#io.stdout.write(clearScreen);
    this.#shown = round;
    await round.print();
    this.#io.stdout.write('attractor: watching for changes (Ctrl-C to stop)\n');
  }

  /** Checks the files; an unusable configuration is a problem like any other, until it is corrected. */
  async #attempt(): Promise<Round> {
    try {
      return await this.#check.check();
    } catch (error) {
      if (!(error instanceof RunError)) throw error;
      this.#check.forgetConfiguration();
      const { message } = error;
      return {
        shown: message,
        print: async () => {
          this.#io.stdout.write(`attractor: ${printableLines(message)}\n`);
        },
      };
    }
  }
}

/**
 * Shown part of a result, for comparison: the same text may have been compiled again with the same
 * findings.
 */
function shownOf({ problems, notices, checked }: CheckedFiles): unknown {
  return [
    problems,
    notices,
    checked.map(({ source, diagnostics }) => [source.name, source.text, diagnostics]),
  ];
}

/**
 * Files are watched through the directory that they are in, because editors replace them; so are configurations, which may
 * come to be anywhere above. @returns when all is being watched
 */
async function startWatching(
  args: readonly string[],
  { config }: ExtensionArguments,
  io: Io,
  onChange: (file: string) => void,
): Promise<readonly FSWatcher[]> {
  const absolute = (file: string) => path.resolve(io.cwd(), file);
  const { files } = await namedFiles(args, io);
  const folders = args
    .map((argument) => searchedFolder(argument, io.cwd()))
    .filter((one) => one !== undefined);
  const alone = args.filter((argument) => searchedFolder(argument, io.cwd()) === undefined).map(absolute);
  const configured = config ? [absolute(config)] : [];
  const above =
    config === undefined
      ? [...files, ...folders.map((folder) => path.join(folder, 'any.dot'))].flatMap((file) =>
          foldersAbove(absolute(file)),
        )
      : [];
  const flat = new Set([...alone.map(path.dirname), ...configured.map(path.dirname), ...above]);
  const wanted = new Set([...alone, ...configured]);
  const isWanted = (file: string): boolean =>
    wanted.has(file) || (config === undefined && isConfiguration(file));
  const watchers = [
    // One each: a directory that was seen from above would not be watched itself.
    ...[...flat].map((folder) => {
      const isOther = (file: string) => file !== folder && !isWanted(file);
      return watch(folder, { depth: 0, ignoreInitial: true, ignored: isOther });
    }),
    ...folders.map((folder) => {
      const root = absolute(folder);
      const isOutside = (file: string) => isIgnored(path.relative(root, file));
      return watch(root, { ignoreInitial: true, followSymlinks: false, ignored: isOutside });
    }),
  ];
  await Promise.all(watchers.map((watcher) => watching(watcher, io, onChange)));
  return watchers;
}

function watching(watcher: FSWatcher, io: Io, onChange: (file: string) => void): Promise<void> {
  watcher.on('all', (_event, file) => onChange(file));
  watcher.on('error', (error) => {
    const what = printableLines(describeSystemError(error));
    io.stderr.write(`attractor: cannot watch everything: ${what}\n`);
  });
  return new Promise((resolve) => watcher.once('ready', resolve));
}

function isConfiguration(file: string): boolean {
  return configurationNames.some((name) => name === path.basename(file));
}

function foldersAbove(file: string): readonly string[] {
  const folders: string[] = [];
  for (let folder = path.dirname(file); ; folder = path.dirname(folder)) {
    folders.push(folder);
    if (folder === path.dirname(folder)) return folders;
  }
}
