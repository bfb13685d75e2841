import { setTimeout as sleep } from 'node:timers/promises';
import type { Carrier, ClusterRun, UnsentMessage } from './cluster.js';

/** Milliseconds between two looks at what a mirror has read. */
const lookMs = 20;

/**
 * Sends a message to a run that a mirror follows, and waits until the run has dealt with it. One that the engine gave up is put back
 * into the queue; so is one that has ended, if the message resumes it.
 * @param waiting aborted when nobody waits any longer; the message is sent all the same
 * @returns reason why the message has no effect, as a sentence; undefined if it has, or nobody has waited for it
 */
export async function deliver(
  run: ClusterRun,
  message: UnsentMessage,
  waiting?: AbortSignal,
): Promise<string | undefined> {
  const { history } = run;
  const resumes = message.kind === 'resume';
  const isFinal = (): boolean => !resumes && history.isOver;
  const id = await run.send(message);
  let seen: Carrier | undefined;
  while (!history.receipts.has(id) && !isFinal() && waiting?.aborted !== true) {
    // It may end just when the message is sent.
    const { carrier } = run;
    const isStopped = carrier.kind === 'failed' || (resumes && carrier.kind === 'over');
    if (isStopped && carrier !== seen) await run.restart();
    seen = carrier;
    // A mirror does not ask for news of a run that has ended.
    if (isStopped) await run.refresh();
    await sleep(lookMs);
  }
  return history.receipts.get(id)?.refusal;
}

/**
 * Cancels a run that a mirror follows, and waits for its end.
 * @param waiting as of `deliver`
 * @returns reason why it cannot be cancelled, as a sentence
 */
export async function cancelInCluster(run: ClusterRun, waiting?: AbortSignal): Promise<string | undefined> {
  const refusal = await deliver(run, { kind: 'cancel' }, waiting);
  if (refusal !== undefined && !run.history.isOver) return refusal;
  while (!run.history.isOver && waiting?.aborted !== true) await sleep(lookMs);
  return undefined;
}
