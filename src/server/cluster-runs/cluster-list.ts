import type { Cluster, ListedRun } from '../../cluster/cluster.js';
import { RunGlance } from '../../cluster/run-glance.js';
import { noUsage } from '../../machine/usage.js';
import { type Manifest, parseManifest } from '../../run-directory/manifest.js';
import { RunError } from '../../run-directory/run-error.js';
import type { RunListEntry, RunStatusName } from '../api/run.js';
import { entryOfView } from '../runs/entry-of-view.js';
import { usageFields } from '../runs/run-index.js';

/** Runs of a list: the newest, and of older ones the newest that have not ended. */
const mostListed = 1000;
/** Milliseconds for which a list is valid, however many clients ask for it. */
const freshMs = 1000;
/** Milliseconds after which the database is asked again: what has waited for it tries again less and less often. */
const askAgainMs = 5000;

interface KnownRun {
  readonly manifest: Pick<Manifest, 'name' | 'goal' | 'start_time' | 'options'> | undefined;
  glance: RunGlance;
  /** Place of what is not known of it. */
  next: number;
}

/**
 * The runs of a cluster for lists: each look at the database costs a few queries, however many runs there are, because of those
 * that have not ended only what is new is read.
 */
export class ClusterList {
  readonly #cluster: Cluster;
  #known = new Map<string, KnownRun>();
  #entries: readonly RunListEntry[] = [];
  #readAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<readonly RunListEntry[]> | undefined;
  #askedAt = Number.NEGATIVE_INFINITY;

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  /** Entries as they were read last. */
  get latest(): readonly RunListEntry[] {
    return this.#entries;
  }

  async entries(): Promise<readonly RunListEntry[]> {
    if (performance.now() - this.#readAt < freshMs) return this.#entries;
    if (performance.now() - this.#askedAt > askAgainMs) this.#reading = undefined;
    if (this.#reading === undefined) {
      this.#askedAt = performance.now();
      const reading = this.#read().finally(() => {
        if (this.#reading === reading) this.#reading = undefined;
      });
      this.#reading = reading;
    }
    return this.#reading;
  }

  /** Has the next look ask the database, as after a submission. */
  forget(): void {
    this.#readAt = Number.NEGATIVE_INFINITY;
  }

  async #read(): Promise<readonly RunListEntry[]> {
    const newest = await this.#cluster.list(mostListed);
    const older = newest.length < mostListed ? [] : await this.#cluster.list(mostListed, 'open');
    const listed = [...new Map([...newest, ...older].map((run) => [run.runId, run])).values()];
    const known = new Map(listed.map((run) => [run.runId, this.#known.get(run.runId) ?? knownRun(run)]));
    await this.#readNews(listed, known);
    this.#known = known;
    this.#entries = listed.map((run) => entryOf(run, known.get(run.runId) ?? knownRun(run)));
    this.#readAt = performance.now();
    return this.#entries;
  }

  /** Reads what is new of runs that have not ended. */
  async #readNews(listed: readonly ListedRun[], known: ReadonlyMap<string, KnownRun>): Promise<void> {
    const places = new Map<string, number>();
    for (const { runId, end } of listed) {
      const run = known.get(runId);
      if (run !== undefined && end === undefined) places.set(runId, run.next);
    }
    if (places.size === 0) return;
    for (const { runId, batch, next } of await this.#cluster.news(places)) {
      const run = known.get(runId);
      // Another look may have been faster.
      if (run === undefined || next <= run.next) continue;
      run.glance.add(batch);
      run.next = next;
    }
  }
}

function knownRun({ manifest, shared }: ListedRun): KnownRun {
  return { manifest: readable(manifest), glance: new RunGlance(shared), next: 0 };
}

function readable(manifest: string): KnownRun['manifest'] {
  try {
    return parseManifest(manifest, '');
  } catch (error) {
    if (error instanceof RunError) return undefined;
    throw error;
  }
}

function entryOf(listed: ListedRun, { manifest, glance }: KnownRun): RunListEntry {
  const { runId: id, worker = null, end, submittedAt } = listed;
  const unreadable = {
    name: '',
    goal: '',
    start_time: new Date(submittedAt).toISOString(),
    options: { simulate: false },
  };
  const entry = entryOfView({
    id,
    manifest: manifest ?? unreadable,
    view: glance.view,
    status: statusOf(listed, glance),
    worker,
    waitsFor: listed.awaits ?? null,
    questions: glance.questions,
  });
  if (end === undefined)
    return { ...entry, failure_reason: listed.problem ?? glance.problem ?? entry.failure_reason };
  const { steps, current_node, duration_ms, failure_reason = null, usage = noUsage } = end;
  return {
    ...entry,
    steps,
    current_node,
    duration_ms,
    ...usageFields(usage),
    failure_reason,
    open_questions: 0,
    only_asks: false,
  };
}

/** Status of a run, as its details say it. */
function statusOf({ status, end }: ListedRun, glance: RunGlance): RunStatusName {
  if (end !== undefined) return end.status as RunStatusName;
  const { status: recorded } = glance.view;
  if (glance.rests) return recorded === 'created' || recorded === 'running' ? 'interrupted' : recorded;
  if (status === 'queued' || status === 'running') return status;
  return 'interrupted';
}
