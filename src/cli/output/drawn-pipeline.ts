import type { CompileOptions } from '../../compiler/compile.js';
import type { Diagnostic } from '../../diagnostic/diagnostic.js';
import { SourceText } from '../../diagnostic/source.js';
import type { Graph } from '../../graph/graph.js';
import type { DrawingOptions } from '../../render/dot.js';
import {
  compileOptionsOf,
  type ExtensionArguments,
  extensionsFor,
  extensionsOfCall,
} from '../../setup/extensions.js';
import { findRun } from '../../setup/find-run.js';
import { UsageError } from '../../setup/usage-error.js';
import type { Io } from '../io.js';
import { readSource } from '../read-source.js';
import { leftOutPlugins } from '../refuse-unnamed-plugins.js';

/** A pipeline and how to draw it. */
export interface DrawnPipeline {
  readonly source: SourceText;
  readonly graph: Graph;
  /** Diagnostics of the parser alone. */
  readonly diagnostics: readonly Diagnostic[];
  readonly drawing: DrawingOptions;
}

interface DrawnArguments extends ExtensionArguments {
  readonly run?: string;
  /** Test file, of which the cases are played. */
  readonly coverage?: string;
}

/**
 * The pipeline of a file, or of a run as it was run.
 * @param file missing where a run is named
 * @throws UsageError or RunError
 */
export async function drawnPipeline(
  file: string | undefined,
  args: DrawnArguments,
  io: Io,
): Promise<DrawnPipeline> {
  if (args.run !== undefined) return pipelineOfRun(args.run, file, args, io);
  if (args.coverage !== undefined) return pipelineOfTests(args.coverage, file, args, io);
  if (file === undefined)
    throw new UsageError(
      'name a pipeline to draw, or a run with --run RUN, or its tests with --coverage FILE',
    );
  const { name, text } = await readSource(file, io);
  const options = compileOptionsOf(await extensionsFor(file, args, io));
  const pipeline = await readPipelineText(text, { name, ...options });
  return { ...pipeline, drawing: { handlerTypes: options.handlerTypes } };
}

/** The pipeline of a test file, with what its cases cover. @throws UsageError for a file that cannot be used */
async function pipelineOfTests(
  testFile: string,
  file: string | undefined,
  args: DrawnArguments,
  io: Io,
): Promise<DrawnPipeline> {
  if (file !== undefined)
    throw new UsageError(`--coverage names the tests, which name their pipeline: leave out ${file}`);
  const { TestPlayer } = await import('../testing/play-files.js');
  const { coverageOf, coverageOverlay } = await import('../../testing/report/render-coverage.js');
  const player = new TestPlayer(args, io);
  const result = await player.play(await player.load(testFile));
  const [covered] = coverageOf([result]);
  if (covered === undefined) {
    const why = result.diagnostics[0]?.message ?? 'it has no cases';
    throw new UsageError(
      `cannot draw the coverage of ${testFile}: ${why}; \`attractor test ${testFile}\` shows more`,
    );
  }
  const options = compileOptionsOf(await extensionsFor(result.pipeline, args, io));
  const { graph } = covered.program;
  const drawing = { handlerTypes: options.handlerTypes, overlay: coverageOverlay(covered) };
  return { source: covered.source, graph, diagnostics: [], drawing };
}

async function pipelineOfRun(
  run: string,
  file: string | undefined,
  args: DrawnArguments,
  io: Io,
): Promise<DrawnPipeline> {
  const directory = findRun(run, io.cwd());
  const { runFiles } = await import('../../run-directory/run-files.js');
  const { readPipeline } = await import('../../run-directory/read-pipeline.js');
  const { traceRun } = await import('../../view/trace-run.js');
  const text = readPipeline(directory);
  if (file !== undefined && (await readSource(file, io)).text !== text) {
    io.stderr.write(
      `attractor: ${file} differs from the pipeline that was run; drawing the one that was run\n`,
    );
  }
  const notice = await leftOutPlugins(directory, args);
  if (notice !== undefined) io.stderr.write(notice);
  const options = compileOptionsOf(await extensionsOfCall(args, io));
  const pipeline = await readPipelineText(text, { name: `${directory}/${runFiles.pipeline}`, ...options });
  const overlay = traceRun(directory, pipeline.graph, Date.now());
  return { ...pipeline, drawing: { handlerTypes: options.handlerTypes, overlay } };
}

/** Reads a pipeline for a drawing: no rule is applied, and none is loaded. */
async function readPipelineText(
  text: string,
  { name = '', transforms = [] }: CompileOptions,
): Promise<Omit<DrawnPipeline, 'drawing'>> {
  const { parseDot } = await import('../../parser/dot/parse.js');
  const { lower } = await import('../../graph/lower.js');
  const { applyTransforms, builtInTransforms } = await import('../../transforms/index.js');
  const { document, diagnostics } = parseDot(text);
  const graph = applyTransforms(lower(document).graph, [...builtInTransforms, ...transforms]);
  return { source: new SourceText(name, text), graph, diagnostics };
}
