import { signal } from '@preact/signals';
import type { RunEvent } from '../../../machine/event.js';
import { apply } from '../../../view/fold/apply.js';
import { emptyView, narrowScope, type RunView } from '../../../view/fold/run-view.js';
import type { VisitRecord } from '../../../view/fold/visit-record.js';
import type { GraphStructure } from '../../../view/graph-schema.js';
import type { EdgeOfBranch } from '../../../view/overlay-of.js';

/** Characters of what a running stage says that are kept: its files have all of it once it has settled. */
const longestText = 60_000;

/** The page keeps every event, so that it can keep every visit too. */
const pageScope = {
  ...narrowScope,
  rows: Number.POSITIVE_INFINITY,
  text: longestText,
  branches: true,
} as const;

/**
 * Run according to its events so far, whatever process executes it: each event is folded once, when it
 * comes. Components that read `version` are rendered again when more is published.
 */
export class LiveRun {
  readonly version = signal(0);
  readonly events: RunEvent[] = [];
  readonly view: RunView = emptyView(pageScope);

  /** @param events in their order, each once */
  add(events: readonly RunEvent[]): void {
    for (const event of events) {
      this.events.push(event);
      apply(this.view, event);
    }
  }

  /** Shows what has come since. */
  publish(): void {
    this.version.value = this.events.length;
  }

  /** The run as it was published last; a component that asks is rendered again when there is more. */
  now(): this {
    void this.version.value;
    return this;
  }

  /** Changes when something has settled: what is kept in files has changed then. */
  get settled(): number {
    return this.view.endedAttempts + this.view.turns;
  }

  latestOf(nodeId: string): VisitRecord | undefined {
    return this.view.nodes.get(nodeId)?.latest;
  }

  get startedAt(): number | undefined {
    const { startedAt } = this.view;
    return startedAt === undefined ? undefined : Date.parse(startedAt);
  }

  get latestAt(): number | undefined {
    const { lastEventTime } = this.view;
    return lastEventTime === undefined ? undefined : Date.parse(lastEventTime);
  }
}

/** Finds the edges that lead to branches in a pipeline, as the engine numbers them (§4.8). */
export function edgesOfBranches({ edges }: GraphStructure): EdgeOfBranch {
  const outgoing = new Map<string, number[]>();
  for (const [index, { from }] of edges.entries()) {
    const known = outgoing.get(from);
    if (known === undefined) outgoing.set(from, [index]);
    else known.push(index);
  }
  return (nodeId, branch) => outgoing.get(nodeId)?.[branch];
}
