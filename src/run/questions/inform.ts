import type { Interviewer } from './interviewer.js';

/**
 * `inform` of §6.1: informs a person and continues at once (SEMANTICS 75). A message that does not get
 * through must not stop the run, so errors of an interviewer, now or later, end here.
 */
export function inform(interviewer: Interviewer, message: string, stage: string): void {
  try {
    const sent: unknown = interviewer.inform?.(message, stage);
    // An interviewer in JavaScript may return a promise; its failure is ignored.
    Promise.resolve(sent).catch(() => undefined);
  } catch {
    // As above.
  }
}
