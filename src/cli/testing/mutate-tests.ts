import { Chalk, type ChalkInstance } from 'chalk';
import { counted } from '../../diagnostic/counted.js';
import { printable } from '../../diagnostic/printable.js';
import { knownHandlerTypes } from '../../graph/known-handler-types.js';
import { compileOptionsOf, extensionsFor } from '../../setup/extensions.js';
import { explore } from '../../testing/generate/explore.js';
import { type TriedMutant, tryMutants } from '../../testing/mutate/try-mutants.js';
import { exitCode } from '../exit-code.js';
import { type Io, usesColor } from '../io.js';
import { type LoadedFile, TestPlayer } from './play-files.js';
import { loadTests, playLoaded, printRound, statusOf, type TestOptions } from './test-files.js';

/** `attractor test --mutate`: changes the pipelines, one thing at a time, and lists the changes that no case notices. */
export async function mutateTests(args: readonly string[], options: TestOptions, io: Io): Promise<number> {
  const player = new TestPlayer(options, io);
  const tests = await loadTests(args, player, io);
  const round = await playLoaded(tests, options, player);
  const status = statusOf(round);
  // A case that fails without any change notices nothing.
  if (status !== exitCode.ok) {
    printRound(round, options, io);
    return status;
  }
  const chalk = new Chalk({ level: usesColor(io, io.stdout) ? 1 : 0 });
  for (const one of tests.loaded) {
    const tried = await triedFor(one, options, io);
    io.stdout.write(mutantsText(one, tried, chalk));
  }
  return exitCode.ok;
}

async function triedFor(
  { read, pipeline, compilation }: LoadedFile,
  options: TestOptions,
  io: Io,
): Promise<readonly TriedMutant[]> {
  const program = compilation?.program;
  const cases = (read.file?.cases ?? []).filter(({ name }) => name.includes(options.filter ?? ''));
  if (program === undefined || cases.length === 0) return [];
  const { handlerTypes } = compileOptionsOf(await extensionsFor(pipeline, options, io));
  const exploration = await explore(program, { inputs: cases[0]?.inputs });
  return tryMutants(program, knownHandlerTypes(handlerTypes), cases, exploration);
}

function mutantsText(
  { read, compilation }: LoadedFile,
  tried: readonly TriedMutant[],
  chalk: ChalkInstance,
): string {
  const count = (result: TriedMutant['result']): number =>
    tried.filter((one) => one.result === result).length;
  const [noticed, missed, alike] = [count('noticed'), count('missed'), count('alike')];
  const total = noticed + missed;
  const share = total === 0 ? '' : ` (${Math.floor((100 * noticed) / total)} %)`;
  const lines = [
    `${chalk.bold(printable(read.source.name))}: ${noticed} of ${counted(total, 'change')} noticed${share}`,
    ...(alike > 0 ? [chalk.dim(`  ${counted(alike, 'more change')} that no simulation shows`)] : []),
    ...tried
      .filter(({ result }) => result === 'missed')
      .flatMap(({ mutant, shownBy = [] }) => {
        const place = compilation?.source.positionAt(mutant.span.start);
        const at = place && `${printable(compilation?.source.name ?? '')}:${place.line}:${place.column}`;
        const shown = shownBy.length === 0 ? 'everything succeeds' : shownBy.join(', then ');
        return [
          `  ${chalk.red('not noticed')}  ${printable(mutant.text)}  ${chalk.dim(at ?? '')}`,
          `    to notice it, add a case in which ${printable(shown)}`,
        ];
      }),
  ];
  return `${lines.join('\n')}\n`;
}
