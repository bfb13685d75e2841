import { DBOSClient } from '@dbos-inc/dbos-sdk';
import * as context from '@dbos-inc/dbos-sdk/internal/context';
import * as errors from '@dbos-inc/dbos-sdk/internal/error';
import type { Pool, QueryResult } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inTransaction } from '../../src/cluster/dbos/in-transaction.js';
import { names } from '../../src/cluster/dbos/names.js';
import { openPool } from '../../src/cluster/dbos/open-pool.js';
import { RecordedSteps } from '../../src/cluster/dbos/recorded-steps.js';
import { StepRecords } from '../../src/cluster/dbos/step-records.js';
import { liveCluster } from './live-cluster.js';

const cluster = await liveCluster();
const { query } = cluster;
const own = 'own';
let pool: Pool;
let records: StepRecords;
let runs = 0;

beforeAll(async () => {
  pool = await openPool(cluster.database);
  records = new StepRecords(pool);
});
afterAll(() => pool.end());

/** A run that an execution has begun. @returns its id */
async function begun(): Promise<string> {
  runs += 1;
  const id = `run-${runs}`;
  await query(
    `insert into dbos.workflow_status (workflow_uuid, status, name, owner_xid, executor_id, application_version, created_at, updated_at)
     values ($1, 'PENDING', $2, $3, 'w-1-00000000', $4, 0, 0)`,
    [id, names.workflow, own, names.version],
  );
  return id;
}

/** Performs steps in that execution. */
function inWorkflow<Result>(
  id: string,
  work: (steps: RecordedSteps) => Promise<Result>,
  through = records,
): Promise<Result> {
  return context.runWithTopContext({ workflowId: id, ownerXid: own }, () =>
    work(new RecordedSteps(through, id, { ...context, ...errors })),
  );
}

function record(id: string, output: unknown = 'mine'): Promise<unknown> {
  return inWorkflow(id, (steps) => steps.step(names.step, async () => output));
}

async function outputsOf(id: string): Promise<readonly unknown[]> {
  const rows = await query(
    'select output from dbos.operation_outputs where workflow_uuid = $1 order by function_id',
    [id],
  );
  return rows.map(({ output }) => JSON.parse(String(output)));
}

/** Resolves when a statement waits for a lock that another connection holds. */
const isWaiting = (): Promise<void> =>
  cluster.until(
    'it waited for the lock',
    `select count(*)::int as waiting from pg_stat_activity where wait_event_type = 'Lock'`,
    ({ waiting }) => Number(waiting) > 0,
  );

const token = 'update dbos.workflow_status set owner_xid = $2 where workflow_uuid = $1';

test('an execution records its steps, and a repetition gets them without performing them', async () => {
  const id = await begun();
  const performed: number[] = [];
  const three = async (steps: RecordedSteps) => {
    const results: unknown[] = [];
    for (const [index, output] of [{ a: [1, '\u0000'], b: undefined }, undefined, 'c'].entries())
      results.push(
        await steps.step(names.step, async () => {
          performed.push(index);
          return output;
        }),
      );
    return results;
  };
  const results = await inWorkflow(id, three);
  expect(results).toEqual([{ a: [1, '\u0000'] }, null, 'c']);
  expect(await inWorkflow(id, three)).toEqual(results);
  expect(performed).toEqual([0, 1, 2]);
});

test('of many executions only the steps of the latest one are read', async () => {
  const id = await begun();
  const [begins, step] = [names.stageBegins, names.stage];
  await inWorkflow(id, async (steps) => {
    for (let execution = 1; execution <= 20; execution += 1) {
      await steps.step(begins, async () => execution);
      for (const turn of [1, 2, 3]) await steps.step(step, async () => `${execution}.${turn}`);
    }
  });
  const counted = countedPool();
  const since = (name: string) => inWorkflow(id, (steps) => steps.since(name), new StepRecords(counted.pool));
  const outputs = (await since(begins)).map((recorded) => recorded.output);
  expect(outputs).toEqual([20, '20.1', '20.2', '20.3']);
  expect(counted.rows).toBe(4);
  expect(await since(names.segment)).toEqual([]);
});

test('an action that fails records nothing', async () => {
  const id = await begun();
  const failing = inWorkflow(id, (steps) => steps.step(names.step, () => Promise.reject(new Error('no'))));
  await expect(failing).rejects.toThrow('no');
  expect(await outputsOf(id)).toEqual([]);
});

test('a step that is recorded under another name is an error', async () => {
  const id = await begun();
  await record(id);
  const other = inWorkflow(id, (steps) => steps.step(names.segment, async () => 'other'));
  await expect(other).rejects.toThrow('step 0 is recorded as "inputs": "segment" was expected');
});

test('two results of one execution for the same step are an error, and the first one stays', async () => {
  const id = await begun();
  const twice = inWorkflow(id, (steps) =>
    steps.step(names.step, async () => {
      await record(id, 'first');
      await new Promise((resolve) => setTimeout(resolve, 2));
      return 'second';
    }),
  );
  await expect(twice).rejects.toThrow(errors.DBOSStepNondeterminismError);
  expect(await outputsOf(id)).toEqual(['first']);
});

describe('an execution that has lost its run records nothing, where the run', () => {
  const client = DBOSClient.create({
    systemDatabaseUrl: cluster.database,
    applicationName: names.application,
  });
  afterAll(async () => (await client).destroy());

  const losses: readonly (readonly [how: string, lose: (id: string) => Promise<unknown>])[] = [
    ['has another one, which has recorded nothing yet', (id) => query(token, [id, 'other'])],
    ['is in the queue again', (id) => query(token, [id, null])],
    ['was cancelled by a command of DBOS', async (id) => (await client).cancelWorkflow(id)],
    [
      'was cancelled, and put back into the queue',
      async (id) => {
        await (await client).cancelWorkflow(id);
        await query(`select attractor.requeue($1)`, [id]);
      },
    ],
    ['was removed', (id) => query('delete from dbos.workflow_status where workflow_uuid = $1', [id])],
  ];

  test.each(losses)('%s', async (_how, lose) => {
    const id = await begun();
    const late = inWorkflow(id, (steps) =>
      steps.step(names.step, async () => {
        await lose(id);
        return 'mine';
      }),
    );
    await expect(late).rejects.toThrow(errors.DBOSWorkflowConflictError);
    expect(await outputsOf(id)).toEqual([]);
  });

  test('is being handed over at that moment', async () => {
    const id = await begun();
    const late = await inTransaction(pool, async (connection) => {
      await connection.query(token, [id, 'other']);
      const recording = record(id).catch((error: unknown) => error);
      await isWaiting();
      return [recording] as const;
    });
    expect(await late[0]).toBeInstanceOf(errors.DBOSWorkflowConflictError);
    expect(await outputsOf(id)).toEqual([]);
  });
});

test('a step whose connection is lost is recorded once, over another connection', async () => {
  const id = await begun();
  const late = await inTransaction(pool, async (connection) => {
    await connection.query(`select from dbos.workflow_status where workflow_uuid = $1 for update`, [id]);
    const recording = record(id);
    await isWaiting();
    await query(`select pg_terminate_backend(pid) from pg_stat_activity where wait_event_type = 'Lock'`);
    return [recording] as const;
  });
  expect(await late[0]).toBe('mine');
  expect(await outputsOf(id)).toEqual(['mine']);
});

test('a step whose record has arrived without an answer is recorded once', async () => {
  const id = await begun();
  const lossy = countedPool((count) => {
    // The first question reads; the answer to the second is lost, as with a connection that ends after the commit.
    if (count === 2) throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
  });
  const step = (steps: RecordedSteps) => steps.step(names.step, async () => 'mine');
  expect(await inWorkflow(id, step, new StepRecords(lossy.pool))).toBe('mine');
  expect(lossy.count).toBe(3);
  expect(await outputsOf(id)).toEqual(['mine']);
});

describe('steps of many runs at once', () => {
  /** Records a first step of each run. @returns the results, with the errors of those that failed */
  const recordAll = (ids: readonly string[], through: StepRecords): Promise<readonly unknown[]> =>
    Promise.all(
      ids.map((id) =>
        through
          .add({ workflowId: id, owner: own, id: 0, name: names.step, output: '"mine"', began: 1, ended: 2 })
          .catch((error: unknown) => error),
      ),
    );
  const several = (count: number): Promise<readonly string[]> =>
    Promise.all(Array.from({ length: count }, begun));

  test('share a few statements', async () => {
    const ids = await several(250);
    const counted = countedPool();
    expect(await recordAll(ids, new StepRecords(counted.pool))).toEqual(ids.map(() => 2));
    expect(counted.count).toBeLessThanOrEqual(5);
    for (const id of ids) expect(await outputsOf(id)).toEqual(['mine']);
  });

  test('are each recorded only if the run is still there', async () => {
    const ids = await several(9);
    for (const [index, id] of ids.entries())
      if (index % 3 === 0) await query(token, [id, index === 0 ? null : 'other']);
    expect(await recordAll(ids, records)).toEqual(ids.map((_id, index) => (index % 3 === 0 ? undefined : 2)));
    for (const [index, id] of ids.entries())
      expect(await outputsOf(id)).toEqual(index % 3 === 0 ? [] : ['mine']);
  });

  test('do not wait for a run that somebody else has locked', async () => {
    const [locked = '', ...others] = await several(4);
    const late = await inTransaction(pool, async (connection) => {
      await connection.query(`select from dbos.workflow_status where workflow_uuid = $1 for update`, [
        locked,
      ]);
      const first = recordAll([locked], records);
      expect(await recordAll(others, records)).toEqual([2, 2, 2]);
      expect(await recordAll(others, records)).toEqual([2, 2, 2]);
      return [first] as const;
    });
    expect(await late[0]).toEqual([2]);
  });

  test('are recorded where one of them cannot be', async () => {
    const ids = await several(3);
    const [first = ''] = ids;
    const wrong = { workflowId: first, owner: own, id: 2 ** 40, name: names.step, output: '1', began: 1 };
    const through = new StepRecords(pool);
    const [failed, results] = await Promise.all([
      Promise.all([1, 2, 3].map((ended) => through.add({ ...wrong, ended }).catch(() => 'refused'))),
      recordAll(ids, through),
    ]);
    expect(failed).toEqual(['refused', 'refused', 'refused']);
    expect(results).toEqual([2, 2, 2]);
  });

  test('of two executions of a run are not taken for each other', async () => {
    const [id = ''] = await several(1);
    const through = new StepRecords(pool);
    const step = { workflowId: id, id: 0, name: names.step, output: '"mine"', began: 1, ended: 2 };
    const owners = ['other', own, 'other', own, 'other'];
    const results = await Promise.all(owners.map((owner) => through.add({ ...step, owner })));
    expect(results).toEqual(owners.map((owner) => (owner === own ? 2 : undefined)));
  });
});

/** The pool, with the numbers of questions and of rows so far. @param after called after each, with that number */
function countedPool(after: (count: number) => void = () => undefined) {
  const counted = {
    count: 0,
    rows: 0,
    pool: {
      async query(...call: Parameters<Pool['query']>) {
        const answer = (await pool.query(...call)) as unknown as QueryResult;
        counted.count += 1;
        counted.rows += answer.rows.length;
        after(counted.count);
        return answer;
      },
    } as unknown as Pool,
  };
  return counted;
}
