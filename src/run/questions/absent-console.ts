import type { ConsoleInterviewer } from './console.js';
import { absentInterviewer } from './interviewer.js';

/** Console of a process without one: what would be asked there waits for an answer from elsewhere. */
export const absentConsole: ConsoleInterviewer = {
  ...absentInterviewer,
  isAsking: false,
  print: () => undefined,
  close: () => undefined,
};
