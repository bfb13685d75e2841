import { z } from 'zod';
import { commandProblem, jsonOutput, plainText } from './command-answer.js';
import { commandInput, compileText, pipelineKeys } from './pipeline-argument.js';
import { defineTool } from './tool.js';

/** Estimates what a run costs, or bounds what any run can cost. */
export const estimateTool = defineTool({
  name: 'estimate',
  title: 'Estimate the cost of a run',
  description:
    'Estimates the tokens and dollars of a run from prompts, prices and past runs; with bound=true it proves the most stages, requests, tokens and dollars that any run can have. Calls no model.',
  effects: 'none',
  input: z.strictObject({
    ...pipelineKeys,
    bound: z.boolean().optional().describe('Bound all runs instead of estimating one'),
    max_items: z.number().int().min(1).optional().describe('With bound: most items of each foreach list'),
  }),
  async call({ bound = false, max_items, ...argument }, workbench, { signal }) {
    const pipeline = await workbench.read(argument);
    compileText(pipeline);
    const [file, options] = commandInput(pipeline, signal);
    const flags = [
      ...(bound ? ['--bound'] : []),
      ...(max_items === undefined ? [] : ['--max-items', String(max_items)]),
    ];
    const [said, data] = await Promise.all([
      workbench.attractor(['cost', ...flags, '--', file], options),
      workbench.attractor(['cost', '--json', ...flags, '--', file], options),
    ]);
    if (said.status !== 0) throw commandProblem(said);
    return { text: plainText(said.stdout), data: jsonOutput(data) };
  },
});
