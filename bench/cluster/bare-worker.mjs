// A worker of bare DBOS, with the settings of ours: steps that return small data, and a wait for a message before a step.
//
//   node bench/cluster/bare-worker.mjs DATABASE_URL RUNS

import { appendFileSync } from 'node:fs';
import { DBOS } from '@dbos-inc/dbos-sdk';
import { markOf } from './plugin.mjs';

const [database, runs] = process.argv.slice(2);

async function line({ steps, waits, marks }) {
  if (waits) await DBOS.recv('answer', { timeoutSeconds: 86_400, pollingIntervalMs: 300_000 });
  for (let index = 0; index < steps; index += 1)
    await DBOS.runStep(
      async () => {
        if (marks) appendFileSync(process.env.BENCH_MARKS, markOf(DBOS.workflowID));
        return { status: 'success', context_updates: { answer: 42 } };
      },
      { name: 'step' },
    );
  return { status: 'success' };
}

DBOS.registerWorkflow(line, { name: 'line' });
DBOS.setConfig({
  name: 'bare',
  systemDatabaseUrl: database,
  executorID: 'bare',
  applicationVersion: 'bare',
  logLevel: 'error',
  systemDatabasePoolSize: 20,
  systemDatabaseIdleTransactionTimeoutMs: 5000,
});
await DBOS.launch();
await DBOS.registerQueue('lines', { minPollingIntervalMs: 100, workerConcurrency: Number(runs) });
process.stderr.write('ready\n');
