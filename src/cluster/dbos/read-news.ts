import type { Pool } from 'pg';
import type { RunNews } from '../cluster.js';
import { batchOf, type StoredBatch } from '../stored-batch.js';
import { names } from './names.js';

interface StepRow {
  readonly run: string;
  readonly step: number;
  readonly output: string;
}

/** Steps that are read at a time: a run that was never looked at has many. */
const page = 2000;

/**
 * Reads what was recorded of several runs since, in one query as long as little is new.
 * @param after number of the step of each run from which on nothing is known
 */
export async function readNews(pool: Pool, after: ReadonlyMap<string, number>): Promise<readonly RunNews[]> {
  const places = new Map(after);
  const news: RunNews[] = [];
  for (;;) {
    const rows = await readPage(pool, places);
    for (const { run, step, output } of rows) {
      news.push({ runId: run, batch: batchOf(JSON.parse(output) as StoredBatch), next: step + 1 });
      places.set(run, step + 1);
    }
    if (rows.length < page) return news;
  }
}

async function readPage(pool: Pool, places: ReadonlyMap<string, number>): Promise<readonly StepRow[]> {
  const { rows } = await pool.query<StepRow>(
    `select step.workflow_uuid as run, step.function_id as step, step.output
     from unnest($1::text[], $2::int[]) as known(run, next)
     join dbos.operation_outputs step on step.workflow_uuid = known.run and step.function_id >= known.next
     where step.function_name = $3 and step.output is not null
     order by step.workflow_uuid, step.function_id limit $4`,
    [[...places.keys()], [...places.values()], names.step, page],
  );
  return rows;
}
