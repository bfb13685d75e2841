import { printable, printableLines } from '../../diagnostic/printable.js';
import { withHandlerTypes } from '../../graph/with-handler-types.js';
import type { ForkedRun } from '../../run/recording/fork.js';
import { readManifest } from '../../run-directory/manifest.js';
import { compileOptionsOf } from '../../setup/extensions.js';
import { UsageError } from '../../setup/usage-error.js';
import { type ContinueArguments, readContinuedRun } from '../continued-run.js';
import type { Io } from '../io.js';
import { refuseUnnamedPlugins } from '../refuse-unnamed-plugins.js';
import { reportInvalid } from '../report-refused.js';
import type { DatabaseArguments } from './database.js';
import { refuseFixed } from './resume-in-cluster.js';
import { submitPrepared } from './run-in-cluster.js';
import type { NamedRun } from './with-run.js';

/** Options of `fork`. */
export interface ForkArguments extends ContinueArguments, DatabaseArguments {
  readonly at?: string;
  readonly step?: number;
  readonly runDir?: string;
  /** False only where the call says so. */
  readonly run: boolean;
}

/** A fork that was submitted, and rests until it is resumed. */
interface SubmittedFork {
  readonly runId: string;
  readonly made: Omit<ForkedRun, 'run_dir'>;
}

/**
 * Submits a fork of a run of a cluster.
 * @returns the exit status if the pipeline of the run is not valid here
 * @throws UsageError, or RunError if the run cannot be forked there
 */
export async function forkInCluster(
  { directory, inCluster: run, cluster }: NamedRun,
  options: ForkArguments,
  io: Io,
): Promise<SubmittedFork | number> {
  if (run === undefined || cluster === undefined) throw new Error('expected a run of a cluster');
  if (options.runDir !== undefined)
    throw new UsageError(
      '--run-dir is for runs of this machine; `attractor pull` makes the directory of one of a cluster',
    );
  refuseFixed(options, readManifest(directory));
  await refuseUnnamedPlugins(directory, options);
  const { compilation, extensions, manifest } = await readContinuedRun(directory, options, io);
  const { source, graph, program, diagnostics } = compilation;
  if (program === undefined) return reportInvalid(source, diagnostics, options, io);
  const { checkPipeline } = await import('../../run/check-pipeline.js');
  const { prepareFork } = await import('../../cluster/fork-run.js');
  const { systemClock } = await import('../../run/driver/clock.js');
  const { newRunLocation } = await import('../../run/run-parts.js');
  checkPipeline(directory, manifest, graph);
  const { runId } = newRunLocation(graph.name, {}, systemClock);
  const { at, step } = options;
  const handlerTypes = compileOptionsOf(extensions).handlerTypes ?? [];
  const { submission, seq } = await prepareFork(run, {
    program: withHandlerTypes(program, handlerTypes),
    at,
    step,
    runId,
    clock: systemClock,
    directory,
  });
  const say = (line: string): void => void io.stderr.write(`${printableLines(line)}\n`);
  await submitPrepared(cluster, submission, { onNotice: (notice) => say(`attractor: ${notice}`) });
  say(`forked ${printable(manifest.run_id)} after event ${seq}: ${runId}`);
  return { runId, made: { status: 'forked', run_id: runId, forked_from: { run_id: manifest.run_id, seq } } };
}
