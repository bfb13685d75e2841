import { z } from 'zod';
import { settledStatus } from './run-status.js';
import { defineTool } from './tool.js';

/** Seconds that the stages of a cancelled run have to end. */
const graceSeconds = 10;

/** Ends a run for good. */
export const cancelTool = defineTool({
  name: 'cancel',
  title: 'Cancel a run',
  description: 'Ends a run for good, whatever process executes it; its finished stages are kept.',
  effects: 'run',
  input: z.strictObject({ run: z.string().describe('Id of the run') }),
  async call({ run }, workbench, call) {
    await workbench.runs.cancel(run);
    return settledStatus(run, graceSeconds, workbench, call);
  },
});
