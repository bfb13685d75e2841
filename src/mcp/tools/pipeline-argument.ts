import { z } from 'zod';
import { type Compilation, compile } from '../../compiler/compile.js';
import { lower } from '../../graph/lower.js';
import { parseDot } from '../../parser/dot/parse.js';
import { UsageError } from '../../setup/usage-error.js';
import type { CommandOptions, PipelineArgument, PipelineText, Workbench } from './workbench.js';

/** Characters of a text: far more than people write, and little enough for any message. */
const longestText = 500_000;
/** Nodes, edges and subgraphs: checking more takes longer than a client waits. */
const mostParts = 10_000;

/** Text of a tool's argument. */
export function textArgument(description: string) {
  return z
    .string()
    .max(longestText, { error: `expected at most ${longestText} characters` })
    .describe(description);
}

/** Keys by which every tool takes a pipeline. */
export const pipelineKeys = {
  file: z.string().optional().describe('Path of the pipeline, inside the working directory'),
  text: textArgument('The pipeline as DOT text, instead of a file').optional(),
};

/**
 * Compiles the pipeline of a call.
 * @throws UsageError if there is none, or it is too large
 */
export async function compiled(
  argument: PipelineArgument,
  workbench: Workbench,
): Promise<{ readonly pipeline: PipelineText; readonly compilation: Compilation }> {
  const pipeline = await workbench.read(argument);
  return { pipeline, compilation: compileText(pipeline) };
}

/** @throws UsageError for a pipeline that is too large */
export function compileText({ name, text, options }: PipelineText): Compilation {
  if (text.length > longestText)
    throw new UsageError(
      `${name} has ${text.length} characters; tools take at most ${longestText}. Use \`attractor lint\``,
    );
  const { graph } = lower(parseDot(text).document);
  const size = graph.nodes.size + graph.edges.length + graph.subgraphs.length;
  if (size > mostParts)
    throw new UsageError(
      `${name} has ${size} nodes, edges and subgraphs; tools take at most ${mostParts}. Use \`attractor lint\``,
    );
  return compile(text, { name, ...options });
}

/** The pipeline of a call as an argument of the command line, and its standard input. */
export function commandInput({ file, text }: PipelineText, signal: AbortSignal): [string, CommandOptions] {
  return file === undefined ? ['-', { signal, input: text }] : [file, { signal }];
}
