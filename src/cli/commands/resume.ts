import type { CliCommand } from '../command.js';
import { conductRun, reportInvalid } from '../conduct-run.js';
import { compileOptionsOf, extensionsOfRun } from '../extensions.js';
import { findRun } from '../find-run.js';
import { addCommonOptions, type CommonArguments, describeSimulation, loadScript } from '../run-arguments.js';

interface ResumeArguments extends CommonArguments {
  readonly from?: string;
}

/** `attractor resume RUN`: goes on where a run stopped (DESIGN §5, SEMANTICS 89). */
export const resumeCommand: CliCommand<ResumeArguments> = {
  name: 'resume',
  summary: 'Go on with a run that was paused, cut off, cancelled or failed',
  example: 'attractor resume .attractor/runs/20260131-120000-Example-k3x7qa',
  configure: (command) =>
    addCommonOptions(
      command
        .argument('<run>', 'a run id, or a path to a run directory')
        .option('--from <node>', 'go on at this node instead of where the run stopped'),
    ),
  async run([name = ''], options, io) {
    const directory = findRun(name, io.cwd());
    const { readManifest } = await import('../../engine/runtime/manifest.js');
    const { runFiles } = await import('../../engine/runtime/run-files.js');
    const { checkPipeline, readPipeline, scriptOf } = await import('../../engine/runtime/resume-run.js');
    const manifest = readManifest(directory);
    const file = `${directory}/${runFiles.pipeline}`;
    const manifestFile = `${directory}/${runFiles.manifest}`;
    const extensions = await extensionsOfRun(manifest.options.extensions, manifestFile, options, io);
    const { compile } = await import('../../compile.js');
    const { source, graph, program, diagnostics } = compile(readPipeline(directory), {
      name: file,
      ...compileOptionsOf(extensions),
    });
    checkPipeline(directory, manifest, graph);
    if (program === undefined) return reportInvalid(source, diagnostics, options, io);
    const given = options.script === undefined ? undefined : await loadScript(options.script);
    const script = given ?? scriptOf(manifest);
    const simulate = options.simulate === true || manifest.options.simulate;
    const { resume } = await import('../../run.js');
    return conductRun(
      {
        program,
        source,
        script: given,
        extensions,
        workingDirectory: manifest.working_directory,
        isPretended: ({ id }) => script.nodes.has(id) || simulate,
        isUnattended: simulate || (options.autoApprove ?? manifest.options.auto_approve),
        notes: simulate ? [describeSimulation(options.seed ?? manifest.options.seed)] : [],
        directoryOf: () => directory,
        start: (common) =>
          resume(directory, { ...common, ...(options.from !== undefined && { from: options.from }) }),
      },
      options,
      io,
    );
  },
};
