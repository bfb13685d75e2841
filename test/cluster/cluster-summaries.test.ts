import { expect, test } from 'vitest';
import type { Carrier, Cluster, ListedRun } from '../../src/cluster/cluster.js';
import { listRuns, summarizeRuns } from '../../src/cluster/cluster-summaries.js';
import type { Batch } from '../../src/cluster/durable-run.js';
import type { RunEvent } from '../../src/machine/event.js';
import { pipeline } from '../run/harness.js';
import { submitted } from './harness.js';
import { MemoryRun, onWorker } from './memory-cluster.js';

const paused = {
  seq: 1,
  time: '2026-01-31T12:00:00.000Z',
  type: 'PipelinePaused',
  reason: 'lunch',
  description: '',
} as unknown as RunEvent;

const cases: readonly (readonly [string, Partial<Batch>, Carrier, string, string | undefined])[] = [
  ['is at work', {}, onWorker, 'running', undefined],
  ['the cluster stopped', { problem: 'no such plugin' }, onWorker, 'interrupted', 'no such plugin'],
  ['DBOS gave up', {}, { kind: 'failed', problem: 'it was cancelled' }, 'interrupted', 'it was cancelled'],
  [
    'a person paused',
    { records: [{ inputs: [], events: [paused] }] as unknown as Batch['records'] },
    onWorker,
    'paused',
    'lunch',
  ],
];

test.each(cases)('a run that %s has the same status in every list, and the reason', async (...row) => {
  const [, batch, carrier, status, problem] = row;
  const stored = await submitted(pipeline('a', 'start -> a -> exit'));
  stored.engine.batches.push({ records: [], ...batch });
  const run = new MemoryRun(stored);
  run.carrier = carrier;
  await run.refresh();
  // The engine calls it running whose worker only keeps it.
  const listed: ListedRun = {
    runId: stored.submission.runId,
    status: carrier.kind === 'failed' ? 'error' : 'running',
    worker: onWorker.kind,
    manifest: stored.submission.manifest,
    shared: undefined,
    end: undefined,
    submittedAt: 1,
    awaits: undefined,
    problem: carrier.kind === 'failed' ? carrier.problem : undefined,
  };
  const cluster = { list: async () => [listed], find: async () => run } as unknown as Cluster;
  expect(await summarizeRuns(cluster, '/runs')).toMatchObject([{ status }]);
  expect(await listRuns(cluster, 50)).toMatchObject([{ status, problem }]);
});
