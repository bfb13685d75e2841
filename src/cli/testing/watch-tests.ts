import { printableLines } from '../../diagnostic/printable.js';
import type { Io } from '../io.js';
import { searchedFolder } from '../named-files.js';
import { type Round, type WatchedCheck, watchFiles } from '../watch-files.js';
import { isPipeline, pipelineOf, testFileOf } from './find-test-files.js';
import { TestPlayer } from './play-files.js';
import { mistakesText, playTests, resultText, type TestOptions, type TestRound } from './test-files.js';

/** `test --watch`: plays the tests, and again whenever a test file, a pipeline or a configuration changes. */
export function watchTests(args: readonly string[], options: TestOptions, io: Io): Promise<number> {
  const player = new TestPlayer(options, io);
  const check: WatchedCheck = {
    check: async () => roundOf(await playTests(args, options, player, io), options, io),
    forgetConfiguration: () => player.forgetConfiguration(),
  };
  return watchFiles(watchedFiles(args, io), options, io, check);
}

/** Files and directories to watch: of a test file its pipeline too, and the other way round. */
function watchedFiles(args: readonly string[], io: Pick<Io, 'cwd'>): readonly string[] {
  return args.flatMap((argument) => {
    if (searchedFolder(argument, io.cwd()) !== undefined) return [argument];
    if (isPipeline(argument)) return [argument, testFileOf(argument, io.cwd())];
    return [argument, pipelineOf(argument, undefined)];
  });
}

function roundOf({ files, problems, notices }: TestRound, { coverage }: TestOptions, io: Io): Round {
  const text = [
    ...[...problems, ...notices].map((line) => `attractor: ${printableLines(line)}\n`),
    mistakesText(files, io, io.stdout),
    resultText(files, 'pretty', io, io.stdout, coverage),
  ].join('');
  return {
    shown: text,
    print: async () => {
      io.stdout.write(text);
    },
  };
}
