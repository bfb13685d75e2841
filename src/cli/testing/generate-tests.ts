import { Chalk, type ChalkInstance } from 'chalk';
import { counted } from '../../diagnostic/counted.js';
import { printable, printableLines } from '../../diagnostic/printable.js';
import type { SourceText } from '../../diagnostic/source.js';
import { knownHandlerTypes } from '../../graph/known-handler-types.js';
import { compileOptionsOf, extensionsFor } from '../../setup/extensions.js';
import { UsageError } from '../../setup/usage-error.js';
import { type GeneratedCases, generateCases } from '../../testing/generate/generate-cases.js';
import { exitCode } from '../exit-code.js';
import { type Io, usesColor } from '../io.js';
import { findTestFiles, pipelineOf } from './find-test-files.js';
import { type LoadedFile, TestPlayer } from './play-files.js';
import { mistakesText, type TestOptions } from './test-files.js';
import { isThere, writeCases } from './write-cases.js';

/** `attractor test --generate`: writes cases that reach all that can be reached, next to those that people wrote. */
export async function generateTests(args: readonly string[], options: TestOptions, io: Io): Promise<number> {
  const player = new TestPlayer(options, io);
  const { files, problems } = await findTestFiles(args, io);
  for (const problem of problems) io.stderr.write(`attractor: ${printableLines(problem)}\n`);
  let status: number = problems.length > 0 ? exitCode.usage : exitCode.ok;
  for (const file of files) {
    if (!(await generateFor(file, player, options, io))) status = exitCode.usage;
  }
  return status;
}

async function generateFor(file: string, player: TestPlayer, options: TestOptions, io: Io): Promise<boolean> {
  const loaded = isThere(file, io) ? await player.load(file) : undefined;
  if (loaded !== undefined && loaded.diagnostics.length > 0) {
    io.stderr.write(mistakesText([{ ...loaded, compilation: loaded.compilation, cases: [] }], io, io.stderr));
    return false;
  }
  const pipeline = loaded?.pipeline ?? pipelineOf(file, undefined);
  const { program, source } = loaded?.compilation ?? (await player.compile(pipeline));
  if (program === undefined)
    throw new UsageError(
      `${pipeline} has errors, so it cannot be tested; \`attractor lint ${pipeline}\` shows them`,
    );
  const extensions = compileOptionsOf(await extensionsFor(pipeline, options, io));
  const own = ownCases(loaded);
  const generated = await generateCases(program, knownHandlerTypes(extensions.handlerTypes), own);
  writeCases(file, loaded?.read, generated.cases, true, io);
  const chalk = new Chalk({ level: usesColor(io, io.stdout) ? 1 : 0 });
  io.stdout.write(generatedText(file, generated, own.length, source, chalk));
  return true;
}

function ownCases(loaded: LoadedFile | undefined) {
  return (loaded?.read.file?.cases ?? []).filter(({ generated }) => generated !== true);
}

function generatedText(
  file: string,
  { cases, points, uncovered, exploration }: GeneratedCases,
  own: number,
  source: SourceText,
  chalk: ChalkInstance,
): string {
  const kept = own === 0 ? '' : `, ${counted(own, 'case')} of yours kept`;
  const lines = [
    `${chalk.bold(printable(file))}: ${counted(cases.length, 'generated case')}${kept}`,
    `  ${points - uncovered.length} of ${points} covered, after ${counted(exploration.trials.length, 'simulation')}`,
    ...(uncovered.length === 0 ? [] : ['  not covered:']),
    ...uncovered.map(({ point, reason }) => {
      const { line, column } = source.positionAt(point.span.start);
      const why = reason.kind === 'script' ? '' : `: ${reason.text}`;
      return `    ${printable(point.text)}${why}  ${chalk.dim(`${printable(source.name)}:${line}:${column}`)}`;
    }),
  ];
  return `${lines.join('\n')}\n`;
}
