import { z } from 'zod';
import type { Compilation } from '../../compiler/compile.js';
import { findingKind } from '../../diagnostic/diagnostic.js';
import { simulate } from '../../run/simulate/simulate.js';
import { readScript } from '../../run-directory/simulation-script.js';
import { UsageError } from '../../setup/usage-error.js';
import { commandProblem, plainText } from './command-answer.js';
import { findingsText, numberedFindings } from './findings.js';
import { commandInput, compiled, compileText, pipelineKeys } from './pipeline-argument.js';
import { resultText } from './simulation-result.js';
import { defineTool, type ToolAnswer, type ToolCall } from './tool.js';
import type { Workbench } from './workbench.js';

/** Explains names of the language, a finding, a pipeline, or a node of it. */
export const explainTool = defineTool({
  name: 'explain',
  title: 'Explain a rule, a finding, an attribute or a node',
  description:
    'Explains a rule of check, a syntax code, an attribute or a handler by its name; with a pipeline and finding=N one finding, with the run that shows it and a script to replay that run; with a pipeline and the name of a node, where control goes from there; with a pipeline alone, its inputs and stages.',
  effects: 'none',
  input: z.strictObject({
    name: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe('Such as reachability, missing_comma, max_retries or wait.human; or a node of the pipeline'),
    ...pipelineKeys,
    finding: z.number().int().min(1).optional().describe('Number of a finding, as check gives it'),
  }),
  async call({ name, finding, ...argument }, workbench, call) {
    const hasPipeline = argument.file !== undefined || argument.text !== undefined;
    if (finding !== undefined) return explainFinding(finding, argument, workbench, call);
    if (name === undefined && !hasPipeline)
      throw new UsageError('name what to explain with `name`, or give a pipeline with `file` or `text`');
    const names = name === undefined ? [] : [name];
    if (!hasPipeline) return commandText(['explain', '--', ...names], { signal: call.signal }, workbench);
    const pipeline = await workbench.read(argument);
    compileText(pipeline);
    const [file, options] = commandInput(pipeline, call.signal);
    return commandText(['explain', '--', ...names, file], options, workbench);
  },
});

async function commandText(
  args: readonly string[],
  options: Parameters<Workbench['attractor']>[1],
  workbench: Workbench,
): Promise<ToolAnswer> {
  const result = await workbench.attractor(args, options);
  if (result.status !== 0) throw commandProblem(result);
  return { text: plainText(result.stdout) };
}

/** A finding with its rule, and the run that shows it, played in the simulator. */
async function explainFinding(
  number: number,
  argument: Parameters<typeof compiled>[0],
  workbench: Workbench,
  { signal }: ToolCall,
): Promise<ToolAnswer> {
  const { pipeline, compilation } = await compiled(argument, workbench);
  const findings = numberedFindings(compilation.diagnostics);
  const found = findings.find((one) => one.number === number);
  if (found === undefined)
    throw new UsageError(`there is no finding ${number}: ${pipeline.name} has ${findings.length}`);
  const { diagnostic } = found;
  const topic = diagnostic.code ?? diagnostic.rule;
  const rule = await workbench.attractor(['explain', '--', topic], { signal });
  const { witness } = diagnostic;
  const played = witness && (await play(compilation, witness, signal));
  const lines = [
    findingsText([found], compilation.source),
    ...(played === undefined
      ? []
      : [`\nA run that shows it: ${played.text}`, `Its script for simulate: ${JSON.stringify(witness)}`]),
    ...(diagnostic.unproved === true
      ? ['\nNot proved by a run: the search was given up, and values of a run may rule it out.']
      : []),
    ...(rule.status === 0 ? [`\n${plainText(rule.stdout)}`] : []),
  ];
  const text = lines.join('\n');
  return {
    text,
    data: { number, rule: findingKind(diagnostic), text, script: witness, run: played?.data },
  };
}

async function play(compilation: Compilation, witness: object, signal: AbortSignal) {
  const result = await simulate(compilation, { script: readScript(witness, 'of the finding'), signal });
  // A pipeline with errors cannot be played.
  return result.status === 'invalid' ? undefined : { text: resultText(result), data: { path: result.path } };
}
