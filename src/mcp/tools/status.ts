import { z } from 'zod';
import { longestWait, settledStatus } from './run-status.js';
import { defineTool } from './tool.js';

/** Says what a run is doing, and what it waits for. */
export const statusTool = defineTool({
  name: 'status',
  title: 'Show the status of a run',
  description:
    'Says what a run is doing, how it ended, and which questions wait for an answer; with wait_seconds it waits for its end or a question.',
  effects: 'none',
  input: z.strictObject({
    run: z.string().optional().describe('Id of the run; the newest by default'),
    wait_seconds: z.number().min(0).max(longestWait).optional(),
  }),
  async call({ run, wait_seconds = 0 }, workbench, call) {
    return settledStatus(run ?? workbench.runs.newest(), wait_seconds, workbench, call);
  },
});
