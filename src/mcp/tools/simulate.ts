import { z } from 'zod';
import { readInputs } from '../../run/read-inputs.js';
import { simulate } from '../../run/simulate/simulate.js';
import { readScript } from '../../run-directory/simulation-script.js';
import { countText, findingsData, findingsText, numberedFindings } from './findings.js';
import { compiled, pipelineKeys } from './pipeline-argument.js';
import { resultText } from './simulation-result.js';
import { defineTool } from './tool.js';

/** Stages after which a simulation ends, whatever its pipeline allows. */
const mostSteps = 10_000;
/** Milliseconds after which it is cancelled. */
const longestMs = 20_000;

/** Plays a pipeline in memory: no model, command or person is asked. */
export const simulateTool = defineTool({
  name: 'simulate',
  title: 'Simulate a pipeline',
  description:
    'Plays a pipeline in memory and virtual time, by the same state machine as a run: no model is called, no command runs, nobody is asked. Stages succeed unless the script says otherwise. Answers the end of the run and its path.',
  effects: 'none',
  input: z.strictObject({
    ...pipelineKeys,
    script: z
      .record(z.string(), z.unknown())
      .optional()
      .describe(
        'Outcomes by node and attempt, and answers of people: {"nodes": {"test": [{"outcome": "fail"}, {"outcome": "success"}]}, "answers": {"approve": ["Yes"]}}',
      ),
    inputs: z.record(z.string(), z.unknown()).optional().describe('Inputs of the run by name'),
    seed: z.number().int().optional().describe('Stages without a script then fail at random, repeatably'),
    max_steps: z.number().int().min(1).max(mostSteps).optional().describe('Stages after which it ends'),
  }),
  async call({ script, inputs, seed, max_steps, ...argument }, workbench, { signal }) {
    const { pipeline, compilation } = await compiled(argument, workbench);
    const result = await simulate(compilation, {
      script: readScript(script, 'of the call'),
      inputs: readInputs(inputs ?? {}).values,
      seed,
      maxSteps: max_steps ?? Math.min(mostSteps, compilation.program?.limits.maxSteps ?? mostSteps),
      signal: AbortSignal.any([signal, AbortSignal.timeout(longestMs)]),
    });
    if (result.status === 'invalid') {
      const findings = numberedFindings(compilation.diagnostics);
      const { source } = compilation;
      return {
        text: `${pipeline.name} cannot run: ${countText(findings)}\n${findingsText(findings, source)}`,
        data: { status: result.status, ...findingsData(findings, source) },
        failed: true,
      };
    }
    const { status, quality, failure_reason, failed_node, failed_stages, paused_reason, waiting_node } =
      result;
    const { path, visits, context } = result;
    const ends = { failure_reason, failed_node, failed_stages, paused_reason, waiting_node };
    return { text: resultText(result), data: { status, quality, ...ends, path, visits, context } };
  },
});
