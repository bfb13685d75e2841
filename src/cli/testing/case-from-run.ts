import path from 'node:path';
import { printable } from '../../diagnostic/printable.js';
import { JournalLines } from '../../journal/journal.js';
import { JournalTail } from '../../journal/journal-tail.js';
import type { RunEvent } from '../../machine/event.js';
import { readManifest } from '../../run-directory/manifest.js';
import { settingsOf } from '../../run-directory/manifest-settings.js';
import { readPipeline } from '../../run-directory/read-pipeline.js';
import { runFiles } from '../../run-directory/run-files.js';
import { findRun } from '../../setup/find-run.js';
import { UsageError } from '../../setup/usage-error.js';
import { begunStages, scriptOfEvents } from '../../testing/generate/case-from-run.js';
import { playCase } from '../../testing/play-case.js';
import { exitCode } from '../exit-code.js';
import type { Io } from '../io.js';
import { findTestFiles, pipelineOf, testFileOf } from './find-test-files.js';
import { TestPlayer } from './play-files.js';
import { mistakesText, type TestOptions } from './test-files.js';
import { isThere, writeCases } from './write-cases.js';

/** `attractor test --from-run RUN [FILE]`: adds a case in which happens what has happened in a run. */
export async function caseFromRun(
  run: string,
  args: readonly string[],
  options: TestOptions,
  io: Io,
): Promise<number> {
  const directory = findRun(run, io.cwd());
  const manifest = readManifest(directory);
  const file = await fileFor(manifest.source, args, io);
  const player = new TestPlayer(options, io);
  const loaded = isThere(file, io) ? await player.load(file) : undefined;
  if (loaded !== undefined && loaded.diagnostics.length > 0) {
    io.stderr.write(mistakesText([{ ...loaded, compilation: loaded.compilation, cases: [] }], io, io.stderr));
    return exitCode.usage;
  }
  const pipeline = loaded?.pipeline ?? pipelineOf(file, undefined);
  const { program, source } = loaded?.compilation ?? (await player.compile(pipeline));
  if (program === undefined)
    throw new UsageError(
      `${pipeline} has errors, so it cannot be tested; \`attractor lint ${pipeline}\` shows them`,
    );
  if (program.graph.name !== manifest.name)
    throw new UsageError(
      `the run ${manifest.run_id} is one of the pipeline "${manifest.name}", but ${pipeline} has the pipeline "${program.graph.name}": name the test file of "${manifest.name}"`,
    );
  const name = `run ${manifest.run_id}`;
  if (loaded?.read.file?.cases.some((one) => one.name === name))
    throw new UsageError(`${file} has a case "${name}" already`);
  const events = eventsOf(directory);
  const script = scriptOfEvents(program, events);
  const { strictValues: strict_values, customOutcomes: custom_outcomes } = settingsOf(manifest);
  const inputs = new Map(Object.entries(manifest.inputs));
  const setup = { script, inputs, strict_values, custom_outcomes };
  const added = { name, setup, seen: await playCase(program, setup) };
  writeCases(file, loaded?.read, [added], false, io);
  io.stdout.write(`${printable(file)}: added the case "${printable(name)}"\n`);
  if (source.text !== readPipeline(directory))
    io.stderr.write(`attractor: ${pipeline} has changed since the run; the case expects what it does now\n`);
  // Branches take their turns in another order.
  else if (begunStages(events).sort().join('\n') !== [...added.seen.path].sort().join('\n'))
    io.stderr.write(
      'attractor: the simulation takes another path than the run, which the case expects; check it before you rely on it\n',
    );
  return exitCode.ok;
}

/** Test file of the call, else that of the pipeline of the run. */
async function fileFor(source: string | null, args: readonly string[], io: Io): Promise<string> {
  if (args.length > 0) {
    const { files } = await findTestFiles(args, io);
    const [file, second] = files;
    if (file === undefined || second !== undefined)
      throw new UsageError('--from-run adds to one test file; name one');
    return file;
  }
  if (source === null)
    throw new UsageError('the pipeline of the run came from no file: name the test file too');
  const relative = path.relative(io.cwd(), source);
  return testFileOf(relative.startsWith('..') ? source : relative, io.cwd());
}

function eventsOf(directory: string): readonly RunEvent[] {
  const file = path.join(directory, runFiles.journal);
  const lines = new JournalLines(file);
  return Array.from(new JournalTail(file).read(), (text) => lines.readQuickly(text));
}
