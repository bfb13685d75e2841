import type { FileSystem } from '../run-directory/file-system.js';
import { isOver } from '../view/run-status.js';
import type { DurableSteps, RunMessage, Submission } from './durable-run.js';
import { LiveRun } from './live-run.js';
import type { PrepareDrive } from './prepare-drive.js';
import { RunHistory } from './run-history.js';

/** Place of a run on a worker. */
export interface Host {
  readonly directory: string;
  readonly fileSystem: FileSystem;
  readonly prepare: PrepareDrive;
  /** Called when the run is live here: recorded steps are repeated, and what follows is new. */
  readonly onLive?: ((run: LiveRun, history: RunHistory) => void) | undefined;
}

/**
 * Carries a run to its end in durable steps (SEMANTICS 140): each records what the machine was given and what it decided, so that
 * the log of the steps is the journal of the run. Any worker can repeat it and continue from there; effects are started only by the
 * one that continues.
 * @returns the history of the run, which is over
 * @throws whatever the engine throws when another worker has the run; nothing of it continues here then
 */
export async function hostRun(submission: Submission, steps: DurableSteps, host: Host): Promise<RunHistory> {
  const history = new RunHistory(submission);
  let messages: readonly RunMessage[] = [];
  let live: LiveRun | undefined;
  try {
    while (!isOver(history.view.status)) {
      const batch = await steps.step(async () => {
        if (live === undefined) {
          live = new LiveRun({ ...host, steps }, history);
          host.onLive?.(live, history);
        }
        return live.next(messages);
      });
      history.add(batch);
      live?.kept();
      messages = messages.filter(({ id }) => !history.receipts.has(id));
      const message = batch.receives ? await steps.receive() : undefined;
      if (message !== undefined) messages = [...messages, message];
    }
  } catch (error) {
    live?.abandon();
    throw error;
  }
  await live?.finished();
  return history;
}
