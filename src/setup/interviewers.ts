import type { Closable } from '../plugins/plugin.js';
import type { ConsoleInterviewer } from '../run/questions/console.js';
import type { Interviewer } from '../run/questions/interviewer.js';

type Open = (console: ConsoleInterviewer) => Promise<Interviewer & Closable>;

/** Interviewers that `--interviewer NAME` knows without a plugin (§6.4). */
export const builtInInterviewers: ReadonlyMap<string, Open> = new Map<string, Open>([
  ['console', async (console) => console],
  [
    'auto-approve',
    async () => {
      const { autoApproveInterviewer } = await import('../run/questions/auto-approve.js');
      return autoApproveInterviewer;
    },
  ],
  [
    'none',
    async () => {
      const { absentInterviewer } = await import('../run/questions/interviewer.js');
      return absentInterviewer;
    },
  ],
  [
    'wait',
    async () => {
      const { waitingInterviewer } = await import('../run/questions/interviewer.js');
      return waitingInterviewer;
    },
  ],
]);
