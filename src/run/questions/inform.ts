import type { Interviewer } from './interviewer.js';

/**
 * `inform` of §6.1: tells a person something and continues at once (SEMANTICS 75). A message that does not get through is no
 * reason to stop, so that whatever an interviewer throws, now or later, ends here.
 */
export function inform(interviewer: Interviewer, message: string, stage: string): void {
  try {
    const sent: unknown = interviewer.inform?.(message, stage);
    // An interviewer in JavaScript may well return a promise; nobody waits for it.
    Promise.resolve(sent).catch(() => undefined);
  } catch {
    // As above.
  }
}
