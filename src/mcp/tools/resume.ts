import { z } from 'zod';
import { resumptionSchema } from '../../server/api/run.js';
import { queuedAnswer, usualWait, waitKey } from './run.js';
import { settledStatus } from './run-status.js';
import { defineTool } from './tool.js';

/** Continues a run that has stopped. */
export const resumeTool = defineTool({
  name: 'resume',
  title: 'Resume a run',
  description:
    'Continues a run that is paused, was interrupted, failed or was cancelled, from where it stopped or from a node, under the same policy as run.',
  effects: 'run',
  input: resumptionSchema.extend({ run: z.string().describe('Id of the run'), ...waitKey }),
  async call({ run, wait_seconds = usualWait, ...request }, workbench, call) {
    const { status } = await workbench.runs.resume(run, request);
    if (status === 'queued') return queuedAnswer(run);
    workbench.runs.askPeople(run);
    return settledStatus(run, wait_seconds, workbench, call);
  },
});
