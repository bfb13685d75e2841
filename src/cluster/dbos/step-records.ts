import type { Pool } from 'pg';
import { jsonSerializer } from './json-serializer.js';
import { names } from './names.js';
import { patiently } from './patiently.js';

/** A step to be recorded. */
export interface StepRecord {
  readonly workflowId: string;
  /** Token of the execution that has performed it. */
  readonly owner: string | undefined;
  readonly id: number;
  readonly name: string;
  /** JSON. */
  readonly output: string;
  /** Milliseconds since 1970; a repetition has the same times, by which it knows its own record. */
  readonly began: number;
  readonly ended: number;
}

/** Steps in one statement; what is waiting while one is planned and another one waits for the disk goes into the next. */
const mostTogether = 100;
const mostStatements = 2;
/** Characters of outputs from which on the next step goes into the next statement. */
const mostCharacters = 1_000_000;

/**
 * Records steps of executions that have their workflows. DBOS gives each execution a token, and removes it when the workflow goes back
 * to the queue, is cancelled or given up. The lock on the row keeps that from happening before the step is recorded. A row that is
 * locked by somebody else is left out, so that no run waits for another one.
 */
const recordTogether = `insert into dbos.operation_outputs (workflow_uuid, function_id, function_name, output, serialization,
    application_name, started_at_epoch_ms, completed_at_epoch_ms, retention_timestamp)
  select workflow.workflow_uuid, step.id, step.name, step.output, $8, $9, step.began, step.ended, step.ended
  from unnest($1::text[], $2::text[], $3::integer[], $4::text[], $5::text[], $6::bigint[], $7::bigint[])
    as step (run, owner, id, name, output, began, ended)
  join dbos.workflow_status workflow on workflow.workflow_uuid = step.run and workflow.owner_xid = step.owner
  for no key update of workflow skip locked
  on conflict (workflow_uuid, function_id) do update set completed_at_epoch_ms = operation_outputs.completed_at_epoch_ms
  returning workflow_uuid as run, completed_at_epoch_ms as completed`;

/** The same for one step. It waits for the lock, and looks at the token again then. */
const recordAlone = `insert into dbos.operation_outputs (workflow_uuid, function_id, function_name, output, serialization,
    application_name, started_at_epoch_ms, completed_at_epoch_ms, retention_timestamp)
  select workflow_uuid, $3::integer, $4::text, $5::text, $8, $9, $6::bigint, $7::bigint, $7::bigint
  from dbos.workflow_status where workflow_uuid = $1 and owner_xid = $2
  for no key update
  on conflict (workflow_uuid, function_id) do update set completed_at_epoch_ms = operation_outputs.completed_at_epoch_ms
  returning workflow_uuid as run, completed_at_epoch_ms as completed`;

const form = [jsonSerializer.name(), names.application];

interface Recorded {
  readonly run: string;
  readonly completed: string;
}

interface Waiting {
  readonly record: StepRecord;
  resolve(completed: number | undefined): void;
  reject(error: unknown): void;
}

/**
 * Records the steps of all runs of a worker. Steps that come while others are being recorded share a statement, and with it a way to the
 * database and back, and a commit; one that comes alone goes at once.
 */
export class StepRecords {
  readonly pool: Pool;
  #waiting: Waiting[] = [];
  #statements = 0;

  constructor(pool: Pool) {
    this.pool = pool;
  }

  /**
   * Waits as long as the database is away.
   * @returns when the recorded step has ended: another time than given means that the step was recorded before; undefined if the
   * execution does not have the workflow any more, and nothing was recorded
   */
  add(record: StepRecord): Promise<number | undefined> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ record, resolve, reject });
      this.#send();
    });
  }

  #send(): void {
    while (this.#statements < mostStatements && this.#waiting.length > 0) {
      this.#statements += 1;
      void this.#record(this.#next());
    }
  }

  /** Takes steps of different workflows: two executions of the same must not be taken for each other. */
  #next(): readonly Waiting[] {
    const together = new Map<string, Waiting>();
    const left: Waiting[] = [];
    let characters = 0;
    for (const waiting of this.#waiting) {
      const { workflowId, output } = waiting.record;
      const hasRoom = together.size < mostTogether && characters < mostCharacters;
      if (!hasRoom || together.has(workflowId)) {
        left.push(waiting);
        continue;
      }
      together.set(workflowId, waiting);
      characters += output.length;
    }
    this.#waiting = left;
    return [...together.values()];
  }

  async #record(together: readonly Waiting[]): Promise<void> {
    const recorded = await this.#together(together.map(({ record }) => record));
    this.#statements -= 1;
    this.#send();
    for (const { record, resolve, reject } of together) {
      const completed = recorded.get(record.workflowId);
      if (completed === undefined) this.#alone(record).then(resolve, reject);
      else resolve(completed);
    }
  }

  /** @returns the ends of the steps that are recorded, by workflow; of no other is anything certain */
  async #together(records: readonly StepRecord[]): Promise<ReadonlyMap<string, number>> {
    const columns = [
      records.map(({ workflowId }) => workflowId),
      records.map(({ owner }) => owner),
      records.map(({ id }) => id),
      records.map(({ name }) => name),
      records.map(({ output }) => output),
      records.map(({ began }) => began),
      records.map(({ ended }) => ended),
    ];
    try {
      // PostgreSQL plans what has a name once for each connection.
      const { rows } = await this.pool.query<Recorded>({
        name: 'attractor-record-together',
        text: recordTogether,
        values: [...columns, ...form],
      });
      return new Map(rows.map(({ run, completed }) => [run, Number(completed)]));
    } catch {
      // Each is tried again alone, which tells what is wrong, and with which.
      return new Map();
    }
  }

  async #alone(record: StepRecord): Promise<number | undefined> {
    const { workflowId, owner, id, name, output, began, ended } = record;
    const values = [workflowId, owner, id, name, output, began, ended, ...form];
    const { rows } = await patiently(() => this.pool.query<Recorded>(recordAlone, values));
    const [row] = rows;
    return row && Number(row.completed);
  }
}
