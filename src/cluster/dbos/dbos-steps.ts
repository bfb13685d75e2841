import type { Batch, DurableSteps, RunMessage } from '../durable-run.js';
import type { MessageWatch } from './message-watch.js';
import { names } from './names.js';

type Dbos = typeof import('@dbos-inc/dbos-sdk').DBOS;

/** Steps and messages of the DBOS workflow that calls it. */
export function dbosSteps(dbos: Dbos, watch: MessageWatch): DurableSteps {
  return {
    step: (action) =>
      // What is recorded is what a repetition gets: JSON, without properties that have no value.
      dbos.runStep(async (): Promise<Batch> => JSON.parse(JSON.stringify(await action())), {
        name: names.step,
      }),
    async receive() {
      const message = await dbos.recv<RunMessage>(names.topic, { timeoutSeconds: 1 });
      await watch.look();
      return message ?? undefined;
    },
    messageWaits: (signal) => watch.waits(signal),
  };
}
