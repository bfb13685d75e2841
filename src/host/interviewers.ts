import type { Interviewer } from '../engine/runtime/interviewer.js';
import type { Closable } from '../extension/plugin.js';
import type { ConsoleInterviewer } from '../interviewers/console.js';

type Open = (console: ConsoleInterviewer) => Promise<Interviewer & Closable>;

/** The interviewers that `--interviewer NAME` knows without a plugin (§6.4). */
export const builtInInterviewers: ReadonlyMap<string, Open> = new Map<string, Open>([
  ['console', async (console) => console],
  [
    'auto-approve',
    async () => {
      const { autoApproveInterviewer } = await import('../interviewers/auto-approve.js');
      return autoApproveInterviewer;
    },
  ],
  [
    'none',
    async () => {
      const { absentInterviewer } = await import('../engine/runtime/interviewer.js');
      return absentInterviewer;
    },
  ],
]);
