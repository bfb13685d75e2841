import path from 'node:path';
import {
  compileOptionsOf,
  type ExtensionArguments,
  extensionsFor,
  extensionsOfRun,
} from '../../setup/extensions.js';
import { keysFor } from '../../setup/keys.js';
import { UsageError } from '../../setup/usage-error.js';
import { addDatabaseOption, type DatabaseArguments } from '../cluster/database.js';
import { directoryWithFiles, withRun } from '../cluster/with-run.js';
import type { CliCommand } from '../command.js';
import { exitCode } from '../exit-code.js';
import { addExtensionOptions } from '../extension-options.js';
import type { Io } from '../io.js';
import { terminalJson } from '../output/terminal-json.js';
import { readSource } from '../read-source.js';
import { refuseUnnamedPlugins } from '../refuse-unnamed-plugins.js';
import { reportInvalid } from '../report-refused.js';

interface ReplayArguments extends ExtensionArguments, DatabaseArguments {
  readonly with?: string;
  readonly check?: true;
  readonly runDir?: string;
  readonly json?: true;
}

/**
 * `attractor replay RUN`: plays a recorded run back and says whether its journal comes out identical, 1 where it does not;
 * or, with `--with`, how another pipeline routes what the run came to, which `--check` makes 1 where it differs.
 */
export const replayCommand: CliCommand<ReplayArguments> = {
  name: 'replay',
  summary: 'Replay a recorded run, or show how an edited pipeline would have routed it',
  example: 'attractor replay .attractor/runs/20260131-120000-Example-k3x7qa --with edited.dot',
  configure: (command) =>
    addExtensionOptions(addDatabaseOption(command))
      .argument('<run>', 'a run id, or a path to a run directory')
      .option('--with <file>', 'route the outcomes of the run through this pipeline; no stage does real work')
      .option('--check', 'with --with: fail if the path or the end differs')
      .option('--run-dir <dir>', 'directory of the replay; by default it is deleted afterwards')
      .option('--json', 'print the result as JSON'),
  async run([name = ''], options, io) {
    if (options.check && options.with === undefined)
      throw new UsageError('--check needs --with; a replay without --with always fails if it differs');
    return withRun(name, options, io, async (run) => {
      if (options.with !== undefined) return replayWith(run.directory, options.with, options, io);
      await refuseUnnamedPlugins(run.directory, options);
      return replayRun(await directoryWithFiles(run, io), options, io);
    });
  },
};

async function replayRun(directory: string, options: ReplayArguments, io: Io): Promise<number> {
  const { readManifest } = await import('../../run-directory/manifest.js');
  const { readPipeline } = await import('../../run-directory/read-pipeline.js');
  const { runFiles } = await import('../../run-directory/run-files.js');
  const manifest = readManifest(directory);
  const manifestFile = path.join(directory, runFiles.manifest);
  const extensions = await extensionsOfRun(manifest.options.extensions, manifestFile, options, io);
  const { compile } = await import('../../compiler/compile.js');
  const compilation = compile(readPipeline(directory), {
    name: path.join(directory, runFiles.pipeline),
    ...compileOptionsOf(extensions),
  });
  const { source, program, diagnostics } = compilation;
  if (program === undefined) return reportInvalid(source, diagnostics, options, io);
  const { registryOf } = await import('../../setup/plug-in.js');
  const { verifyReplay } = await import('../../run/recording/verify-replay.js');
  const { renderReplay } = await import('../output/render-replay.js');
  const { redactor } = await keysFor(extensions.settings, io);
  const { handlerTypes: _types, ...compiling } = compileOptionsOf(extensions);
  const verdict = await verifyReplay(directory, compilation, {
    ...compiling,
    handlers: await registryOf(extensions),
    secrets: redactor,
    runDirectory: options.runDir === undefined ? undefined : path.resolve(io.cwd(), options.runDir),
  });
  io.stdout.write(options.json ? `${terminalJson(verdict, 2)}\n` : renderReplay(verdict, manifest.run_id));
  return verdict.identical ? exitCode.ok : exitCode.failure;
}

async function replayWith(
  directory: string,
  file: string,
  options: ReplayArguments,
  io: Io,
): Promise<number> {
  const { name, text } = await readSource(file, io);
  const extensions = await extensionsFor(file, options, io);
  const { compile } = await import('../../compiler/compile.js');
  const { source, program, diagnostics } = compile(text, { name, ...compileOptionsOf(extensions) });
  if (program === undefined) return reportInvalid(source, diagnostics, options, io);
  const { reroute } = await import('../../run/recording/reroute.js');
  const rerouting = await reroute(directory, program);
  const { renderRerouting } = await import('../output/render-rerouting.js');
  io.stdout.write(
    options.json ? `${terminalJson(rerouting, 2)}\n` : renderRerouting(rerouting, path.basename(name)),
  );
  const differs = rerouting.firstDifference !== undefined || rerouting.endsOtherwise;
  return options.check && differs ? exitCode.failure : exitCode.ok;
}
