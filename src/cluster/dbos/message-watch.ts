import type { DBOSExecutor } from '@dbos-inc/dbos-sdk/internal/dbos-executor';
import type { Pool } from 'pg';
import { onAbort } from '../../abort/abort.js';
import type { DurableSteps, RunMessage } from '../durable-run.js';
import { jsonSerializer } from './json-serializer.js';
import { names } from './names.js';
import { patiently } from './patiently.js';

/** Milliseconds between two looks at what may have come unnoticed. */
const lookMs = 5000;

/** Message to a workflow. */
interface AnyMessage {
  readonly id: string;
}

/**
 * Messages for the runs of a worker, and for the stages that it performs, as they stand in the table of DBOS. The database tells of each at once; what it tells while the
 * connection is lost is found by a look. DBOS would take them one at a time, each by a step of its own, before anything may be done
 * about it; here a message stays until the step is recorded that deals with it.
 */
export class MessageWatches {
  readonly #executor: DBOSExecutor;
  readonly #pool: Pool;
  /** Watches by workflow and topic. */
  readonly #watches = new Map<string, MessageWatch<never>>();
  readonly #timer: NodeJS.Timeout;

  constructor(executor: DBOSExecutor, pool: Pool) {
    this.#executor = executor;
    this.#pool = pool;
    this.#timer = setInterval(() => void this.#look(), lookMs);
  }

  /** Watches for the messages of a workflow, those included that have come. */
  open<Message extends AnyMessage = RunMessage>(
    workflow: string,
    topic: string = names.topic,
  ): MessageWatch<Message> {
    const { notificationsMap } = this.#executor.systemDatabase;
    const place = placeOf(workflow, topic);
    const callback = notificationsMap.registerCallback(place, () => watch.noticed());
    const watch = new MessageWatch<Message>(workflow, {
      read: () => this.#read(workflow, topic),
      remove: (keys) => this.#remove(workflow, keys),
      resumptions: () => this.#resumptions(workflow),
      close: () => {
        notificationsMap.deregisterCallback(callback);
        // Another execution of the workflow may have begun here.
        if (this.#watches.get(place) === (watch as MessageWatch<never>)) this.#watches.delete(place);
      },
    });
    this.#watches.set(place, watch as MessageWatch<never>);
    return watch;
  }

  /** Tells the watches what waits for them. A database that is away is asked again later. */
  async #look(): Promise<void> {
    const workflows = [...this.#watches.values()].map(({ workflow }) => workflow);
    if (workflows.length === 0) return;
    const query = `select distinct destination_uuid as workflow, topic from dbos.notifications
      where destination_uuid = any($1) and not consumed`;
    try {
      const { rows } = await this.#pool.query<{ workflow: string; topic: string }>(query, [workflows]);
      for (const { workflow, topic } of rows) this.#watches.get(placeOf(workflow, topic))?.noticed();
    } catch {
      // The next look finds them.
    }
  }

  async #resumptions(runId: string): Promise<readonly string[]> {
    const query = `select message from dbos.notifications where destination_uuid = $1 and topic = $2`;
    const { rows } = await patiently(() =>
      this.#pool.query<{ message: string }>(query, [runId, names.topic]),
    );
    const messages = rows.map(({ message }) => jsonSerializer.parse(message) as RunMessage);
    return messages.flatMap(({ kind, id }) => (kind === 'resume' ? [id] : []));
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** Reads the messages of a workflow, the oldest first; none if they cannot be read now. */
  async #read(workflow: string, topic: string): Promise<readonly WaitingMessage[]> {
    const query = `select message_uuid as key, message as text, serialization as form from dbos.notifications
      where destination_uuid = $1 and topic = $2 and not consumed order by created_at_epoch_ms`;
    try {
      return (await this.#pool.query<WaitingMessage>(query, [workflow, topic])).rows;
    } catch {
      return [];
    }
  }

  async #remove(workflow: string, keys: readonly string[]): Promise<void> {
    const change = `update dbos.notifications set consumed = true where destination_uuid = $1 and message_uuid = any($2)`;
    // What is left is found again, and removed then.
    await this.#pool.query(change, [workflow, keys]).catch(() => undefined);
  }
}

interface WaitingMessage {
  readonly key: string;
  readonly text: string;
  readonly form: string | null;
}

interface MessageSource extends Pick<DurableSteps, 'resumptions'> {
  read(): Promise<readonly WaitingMessage[]>;
  remove(keys: readonly string[]): Promise<void>;
  close(): void;
}

/** Place of messages, as DBOS tells of it. */
function placeOf(workflow: string, topic: string): string {
  return `${workflow}::${topic}`;
}

/** Messages that wait for one workflow. */
export class MessageWatch<Message extends AnyMessage = RunMessage> {
  readonly workflow: string;
  readonly #source: MessageSource;
  /** Keys of the messages that were handed out and are not forgotten, by their ids. */
  readonly #handedOut = new Map<string, string>();
  readonly #forgotten = new Set<string>();
  // Some may have come before.
  #mayWait = true;
  #onMessage: () => void = () => undefined;

  constructor(workflow: string, source: MessageSource) {
    this.workflow = workflow;
    this.#source = source;
  }

  /** Resolves with messages that were not handed out before; rejects when the signal is aborted. */
  async next(signal: AbortSignal): Promise<readonly Message[]> {
    for (;;) {
      await this.#noticedOne(signal);
      this.#mayWait = false;
      const waiting = await this.#source.read();
      if (signal.aborted) {
        this.#mayWait = true;
        throw signal.reason;
      }
      const found = this.#fresh(waiting);
      if (found.length > 0) return found;
    }
  }

  /** Removes messages that were dealt with. */
  forget(ids: readonly string[]): void {
    const keys = ids.flatMap((id) => this.#handedOut.get(id) ?? []);
    for (const id of ids) this.#handedOut.delete(id);
    for (const key of keys) this.#forgotten.add(key);
    if (keys.length > 0) void this.#source.remove(keys);
  }

  /** Ids of all messages by which the run was resumed. */
  resumptions(): Promise<readonly string[]> {
    return this.#source.resumptions();
  }

  noticed(): void {
    this.#mayWait = true;
    this.#onMessage();
  }

  close(): void {
    this.#source.close();
  }

  #noticedOne(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      if (this.#mayWait) return resolve();
      const release = onAbort(signal, () => reject(signal.reason));
      this.#onMessage = () => {
        release();
        resolve();
      };
    });
  }

  #fresh(waiting: readonly WaitingMessage[]): readonly Message[] {
    const known = new Set(this.#handedOut.values());
    const left = waiting.filter(({ key }) => this.#forgotten.has(key)).map(({ key }) => key);
    const unread: string[] = [];
    const messages: Message[] = [];
    for (const { key, text, form } of waiting) {
      if (known.has(key) || this.#forgotten.has(key)) continue;
      const message = form === jsonSerializer.name() ? messageIn<Message>(text) : undefined;
      if (message === undefined || this.#handedOut.has(message.id)) {
        unread.push(key);
        continue;
      }
      this.#handedOut.set(message.id, key);
      messages.push(message);
    }
    for (const key of unread) this.#forgotten.add(key);
    if (left.length + unread.length > 0) void this.#source.remove([...left, ...unread]);
    return messages;
  }
}

/** @returns undefined if the text is not a message: whoever may send one may send anything */
function messageIn<Message extends AnyMessage>(text: string): Message | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && 'id' in value && typeof value.id === 'string'
      ? (value as Message)
      : undefined;
  } catch {
    return undefined;
  }
}
