import type { DBOSExecutor } from '@dbos-inc/dbos-sdk/internal/dbos-executor';
import { expect, it } from 'vitest';
import { Claims } from '../../src/cluster/dbos/claims.js';

/** A database of queues, of which every claim takes as many runs as it may. */
function database(): {
  executor: DBOSExecutor;
  claim(queue: string): Promise<string[]>;
  claimHeads(queue: string): Promise<string[]>;
} {
  let number = 0;
  const systemDatabase = {
    async findAndMarkStartableWorkflows(queue: { workerConcurrency?: number }) {
      const { workerConcurrency = 1 } = queue;
      await Promise.resolve();
      return Array.from({ length: workerConcurrency }, () => `run-${++number}`);
    },
  };
  const executor = {
    systemDatabase: {
      ...systemDatabase,
      findAndMarkStartablePartitionedWorkflows: async (_: unknown, ...call: unknown[]) =>
        systemDatabase.findAndMarkStartableWorkflows({ workerConcurrency: Number(call[2]) }),
    },
  } as unknown as DBOSExecutor;
  return {
    executor,
    claimHeads: (name) =>
      executor.systemDatabase.findAndMarkStartablePartitionedWorkflows(
        { name } as never,
        'worker',
        'version',
        100,
      ),
    claim: (name) =>
      executor.systemDatabase.findAndMarkStartableWorkflows({ name } as never, 'worker', 'version'),
  };
}

it('claims for all queues together no more than there is room, and nothing from queues of others', async () => {
  const { executor, claim } = database();
  const running = new Set<string>();
  const claims = new Claims(executor, {
    mayTakeFrom: (queue) => (queue === 'own' ? undefined : queue !== 'others'),
    room: () => 3 - running.size,
  });
  const [first, second, others, own] = await Promise.all(['runs', 'runs:gpu', 'others', 'own'].map(claim));
  expect([first, second, others, own].map((ids) => ids?.length)).toEqual([3, 0, 0, 1]);
  for (const id of first ?? []) {
    running.add(id);
    claims.begun(id);
  }
  expect(await claim('runs')).toEqual([]);
  running.clear();
  expect(await claim('runs:gpu')).toHaveLength(3);
});

it('takes one stage at first, so that other workers get the next, and more as long as there are more', async () => {
  const { executor, claim } = database();
  const { systemDatabase } = executor;
  const working = systemDatabase.findAndMarkStartableWorkflows.bind(systemDatabase);
  let isEmpty = false;
  systemDatabase.findAndMarkStartableWorkflows = async (...call) => (isEmpty ? [] : working(...call));
  new Claims(executor, { mayTakeFrom: () => true, room: (kind) => (kind === 'stages' ? 13 : 3) });
  const taken = async (queue: string): Promise<number> => (await claim(queue)).length;
  expect([await taken('stages'), await taken('stages:gpu'), await taken('stages')]).toEqual([1, 2, 4]);
  isEmpty = true;
  expect(await taken('stages')).toBe(0);
  isEmpty = false;
  expect([await taken('stages'), await taken('runs'), await taken('stages')]).toEqual([1, 3, 2]);
  // Three are left.
  expect([await taken('stages'), await taken('stages')]).toEqual([3, 0]);
});

it('keeps to its rules where a queue takes one run of each partition', async () => {
  const { executor, claim, claimHeads } = database();
  new Claims(executor, { mayTakeFrom: (queue) => queue === 'runs', room: () => 3 });
  expect(await claimHeads('runs:gpu')).toEqual([]);
  expect(await claimHeads('runs')).toHaveLength(3);
  expect(await claimHeads('runs')).toEqual([]);
  expect(await claim('runs')).toEqual([]);
});

it('claims again after a claim has failed', async () => {
  const { executor, claim } = database();
  const { systemDatabase } = executor;
  const working = systemDatabase.findAndMarkStartableWorkflows;
  let isAway = true;
  systemDatabase.findAndMarkStartableWorkflows = async (...call) => {
    if (isAway) throw new Error('the database is away');
    return working(...call);
  };
  new Claims(executor, { mayTakeFrom: () => true, room: () => 2 });
  await expect(claim('runs')).rejects.toThrow('away');
  isAway = false;
  expect(await claim('runs')).toHaveLength(2);
});
