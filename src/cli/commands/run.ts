import path from 'node:path';
import type { hasErrors } from '../../diagnostic/diagnostic.js';
import type { SimulationScript } from '../../engine/runtime/simulation-script.js';
import type { ChosenExtensions } from '../../extension/load-extensions.js';
import type { Program } from '../../graph/program.js';
import type { CliCommand } from '../command.js';
import { conductRun, reportInvalid } from '../conduct-run.js';
import { compileOptionsOf, extensionsFor, isModelStage } from '../extensions.js';
import { runsHome } from '../find-run.js';
import { readSource } from '../read-source.js';
import { addCommonOptions, type CommonArguments, describeSimulation, loadScript } from '../run-arguments.js';
import { UsageError } from '../usage-error.js';

interface RunArguments extends CommonArguments {
  readonly runDir?: string;
}

/** `attractor run FILE`: validates a pipeline and runs it (DESIGN §5). */
export const runCommand: CliCommand<RunArguments> = {
  name: 'run',
  summary: 'Run a pipeline',
  example: 'attractor run pipeline.dot --set branch=main',
  configure: (command) =>
    addCommonOptions(
      command
        .argument('<file>', 'the pipeline; - reads standard input')
        .option('--run-dir <dir>', 'where to keep the run; a new directory below .attractor/runs by default'),
    ),
  async run([file = '-'], options, io) {
    if (options.runDir?.trim() === '') throw new UsageError('--run-dir needs the name of a directory');
    const directory = options.runDir === undefined ? undefined : path.resolve(io.cwd(), options.runDir);
    const { name, text } = await readSource(file, io);
    const { compile } = await import('../../compile.js');
    const extensions = await extensionsFor(file, options, io);
    const compilation = compile(text, { name, ...compileOptionsOf(extensions) });
    const { source, program, diagnostics } = compilation;
    if (program === undefined) return reportInvalid(source, diagnostics, options, io);
    const script = options.script === undefined ? undefined : await loadScript(options.script);
    const { run } = await import('../../run.js');
    return conductRun(
      {
        program,
        source,
        script,
        extensions,
        workingDirectory: io.cwd(),
        isPretended: ({ id }) => script?.nodes.has(id) === true || options.simulate === true,
        isUnattended: options.simulate === true || options.autoApprove === true,
        notes: [...warningNote(file, diagnostics), ...simulationNote(program, script, extensions, options)],
        directoryOf: (runId) => directory ?? path.join(runsHome(io.cwd()), runId),
        start: (common) =>
          run(compilation, {
            ...common,
            ...(file !== '-' && { sourcePath: path.resolve(io.cwd(), file) }),
            ...(directory !== undefined && { runDirectory: directory }),
            ...(extensions.record && { extensions: extensions.record }),
            workingDirectory: io.cwd(),
          }),
      },
      options,
      io,
    );
  },
};

function warningNote(file: string, diagnostics: Parameters<typeof hasErrors>[0]): readonly string[] {
  const warnings = diagnostics.filter(({ severity }) => severity === 'warning').length;
  if (warnings === 0) return [];
  const found = warnings === 1 ? 'lint has 1 warning' : `lint has ${warnings} warnings`;
  return [`${found} about this pipeline; \`attractor lint ${file}\` shows them`];
}

function simulationNote(
  program: Program,
  script: SimulationScript | undefined,
  extensions: ChosenExtensions,
  { simulate, seed }: RunArguments,
): readonly string[] {
  if (simulate) return [describeSimulation(seed)];
  if (extensions.backend !== undefined) return [];
  const simulated = [...program.nodes.values()].filter(
    (node) => isModelStage(node, extensions) && script?.nodes.has(node.id) !== true,
  );
  if (simulated.length === 0) return [];
  const names = simulated.slice(0, 5).map(({ id }) => id);
  const more = simulated.length > names.length ? ` and ${simulated.length - names.length} more` : '';
  const known = [...extensions.backends.keys()];
  const choice = known.length === 0 ? '' : `; --backend chooses one: ${known.join(', ')}`;
  return [`no model backend is configured: LLM stages are simulated (${names.join(', ')}${more})${choice}`];
}
