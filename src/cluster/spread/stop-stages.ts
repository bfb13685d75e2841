import type { Manifest } from '../../run-directory/manifest.js';
import type { RunHistory } from '../run-history.js';
import type { StageQueue } from './stage-queue.js';

/**
 * Stops all stages of a run that is over or rests, wherever they are: the worker that should have done so may have died before.
 * Those that are stopping already ignore the order.
 */
export async function stopStages(queue: StageQueue, { run, isOver }: RunHistory): Promise<void> {
  const { options }: Pick<Manifest, 'options'> = JSON.parse(run.manifest);
  if (options.spread !== true) return;
  const why = isOver ? 'cancelled' : 'paused';
  const reason = isOver ? 'the run has ended' : 'the run is paused';
  const stop = async (stage: string): Promise<void> => {
    if (!(await queue.withdraw(stage))) await queue.tell(stage, { kind: 'abort', why, reason });
  };
  await Promise.all((await queue.open()).map(stop));
}
