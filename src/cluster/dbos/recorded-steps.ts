import { jsonSerializer } from './json-serializer.js';
import { patiently } from './patiently.js';
import type { StepRecords } from './step-records.js';

/** What DBOS has for a workflow that it executes: its place in the log, its token, and the errors that it understands. */
export type Engine = typeof import('@dbos-inc/dbos-sdk/internal/context') &
  Pick<
    typeof import('@dbos-inc/dbos-sdk/internal/error'),
    'DBOSWorkflowConflictError' | 'DBOSStepNondeterminismError'
  >;

/** Number of steps that are read at a time. */
const page = 500;

interface Row {
  readonly id: number;
  readonly name: string;
  readonly output: string | null;
  readonly error: string | null;
}

interface RecordedStep {
  readonly id: number;
  readonly output: unknown;
}

/**
 * Steps of a workflow in the tables of DBOS, as DBOS itself records them, with fewer questions to the database. Recorded steps are read
 * in pages; DBOS asks twice for each. To record one takes at most one question; DBOS asks seven times, because it looks for a
 * cancellation and for an earlier record first, and makes a transaction of the rest.
 */
export class RecordedSteps {
  readonly #records: StepRecords;
  readonly #workflowId: string;
  readonly #engine: Engine;
  /** Token of this execution. */
  readonly #owner: string | undefined;
  readonly #rows = new Map<number, Row>();
  #readUpTo = -1;
  #isRead = false;

  /** Call it in the workflow. */
  constructor(records: StepRecords, workflowId: string, engine: Engine) {
    this.#records = records;
    this.#workflowId = workflowId;
    this.#engine = engine;
    this.#owner = engine.currentOwnerXid(workflowId);
  }

  /**
   * Performs the next step and records its result, unless it is recorded.
   * @param action whose result is JSON; if it fails, nothing is recorded
   * @returns the recorded result
   * @throws DBOSWorkflowConflictError if another execution has the workflow, or none has it any more
   */
  async step(name: string, action: () => Promise<unknown>): Promise<unknown> {
    const id = this.#engine.functionIDGetIncrement();
    const before = await this.#take(id, name);
    if (before !== undefined) return jsonSerializer.parse(before.output);
    const began = Date.now();
    const output = jsonSerializer.stringify(await action());
    await this.#record(id, name, output, began);
    return jsonSerializer.parse(output);
  }

  /** Outputs of all steps of a name so far, those of this execution included. @param after number of the last step that is left out */
  async all(name: string, after = -1): Promise<readonly unknown[]> {
    const outputs: unknown[] = [];
    for (let readUpTo = after; ; ) {
      const rows = await this.#rowsAfter(readUpTo);
      for (const row of rows)
        if (row.name === name && row.error === null) outputs.push(jsonSerializer.parse(row.output));
      readUpTo = rows.at(-1)?.id ?? readUpTo;
      if (rows.length < page) return outputs;
    }
  }

  /** Steps from the latest one of a name on, that one included; none if there is none of that name. Nothing before it is read. */
  async since(name: string): Promise<readonly RecordedStep[]> {
    const latest = await this.latest(name);
    if (latest === undefined) return [];
    const steps = [latest];
    for (let readUpTo = latest.id; ; ) {
      const rows = await this.#rowsAfter(readUpTo);
      for (const { id, output } of rows) steps.push({ id, output: jsonSerializer.parse(output) });
      readUpTo = rows.at(-1)?.id ?? readUpTo;
      if (rows.length < page) return steps;
    }
  }

  /** The latest step of a name with a result; undefined if there is none. */
  async latest(name: string): Promise<RecordedStep | undefined> {
    const { rows } = await patiently(() =>
      this.#records.pool.query<Pick<Row, 'id' | 'output'>>(
        `select function_id as id, output from dbos.operation_outputs
         where workflow_uuid = $1 and function_name = $2 and output <> 'null' order by function_id desc limit 1`,
        [this.#workflowId, name],
      ),
    );
    const [row] = rows;
    return row && { id: row.id, output: jsonSerializer.parse(row.output) };
  }

  /** Leaves out all steps up to one: the next is that after it. Nothing may have been taken before. */
  skip(id: number): void {
    const context = this.#engine.getCurrentContextStore();
    if (context === undefined) throw new Error('steps are left out outside of a workflow');
    context.curWFFunctionId = id + 1;
    this.#readUpTo = id;
  }

  async #take(id: number, name: string): Promise<Row | undefined> {
    await this.#readTo(id);
    const row = this.#rows.get(id);
    this.#rows.delete(id);
    if (row !== undefined && (row.name !== name || row.error !== null))
      throw new Error(`step ${id} is recorded as "${row.name}": ${row.error ?? `"${name}" was expected`}`);
    return row;
  }

  async #record(id: number, name: string, output: string, began: number): Promise<void> {
    const { DBOSWorkflowConflictError, DBOSStepNondeterminismError } = this.#engine;
    const workflowId = this.#workflowId;
    const ended = Date.now();
    const step = { workflowId, owner: this.#owner, id, name, output, began, ended };
    const completed = await this.#records.add(step);
    if (completed === undefined) throw new DBOSWorkflowConflictError(workflowId);
    if (completed !== ended) throw new DBOSStepNondeterminismError(workflowId, id);
  }

  async #readTo(id: number): Promise<void> {
    while (!this.#isRead && this.#readUpTo < id) {
      const rows = await this.#rowsAfter(this.#readUpTo);
      for (const row of rows) this.#rows.set(row.id, row);
      this.#readUpTo = rows.at(-1)?.id ?? this.#readUpTo;
      this.#isRead = rows.length < page;
    }
  }

  async #rowsAfter(id: number): Promise<readonly Row[]> {
    const { rows } = await patiently(() =>
      this.#records.pool.query<Row>(
        `select function_id as id, function_name as name, output, error from dbos.operation_outputs
         where workflow_uuid = $1 and function_id > $2 order by function_id limit $3`,
        [this.#workflowId, id, page],
      ),
    );
    return rows;
  }
}
