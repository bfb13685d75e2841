import { z } from 'zod';
import { submissionSchema } from '../../server/api/run.js';
import { pipelineKeys } from './pipeline-argument.js';
import { longestWait, settledStatus } from './run-status.js';
import { defineTool } from './tool.js';

/** Seconds that a call waits for a run where it does not say. */
export const usualWait = 20;

export const waitKey = {
  wait_seconds: z
    .number()
    .min(0)
    .max(longestWait)
    .optional()
    .describe(`Seconds to wait for its end or a question; ${usualWait} by default`),
};

/** Starts a run. */
export const runTool = defineTool({
  name: 'run',
  title: 'Run a pipeline',
  description:
    'Starts a run of a pipeline and waits a while for its end or a question. It may call models, which costs money; commands and coding agents run only if the server was started with --allow-tools. The run is kept below .attractor/runs. A person at the client is asked at human gates if the client can ask; otherwise the answer says what waits for the tool `answer`.',
  effects: 'run',
  input: submissionSchema.omit({ dot: true }).extend({ ...pipelineKeys, ...waitKey }),
  async call({ file, text, wait_seconds = usualWait, ...options }, workbench, call) {
    const pipeline = await workbench.read({ file, text });
    const { id, status } = await workbench.runs.submit({ ...options, dot: pipeline.text });
    if (status === 'queued') return queuedAnswer(id);
    workbench.runs.askPeople(id);
    return settledStatus(id, wait_seconds, workbench, call);
  },
});

/** Answer for a run that waits until others have ended: its directory has no run yet. */
export function queuedAnswer(id: string) {
  return {
    text: `run ${id}: queued, because as many runs as allowed are under way; it begins by itself`,
    data: { run: id, status: 'queued' },
  };
}
