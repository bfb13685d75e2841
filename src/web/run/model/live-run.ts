import { signal } from '@preact/signals';
import type { RunEvent } from '../../../machine/event.js';
import type { GraphStructure } from '../../../view/graph-schema.js';
import { type EdgeOfBranch, RunTrace } from '../../../view/run-trace.js';
import { LiveText } from './live-text.js';
import { UsageLog } from './usage-log.js';
import { VisitLog } from './visit-log.js';

/**
 * A run as its events tell it so far, whoever executes it: each event is folded once, when it comes. What reads `version`
 * is rendered again when more is published.
 */
export class LiveRun {
  readonly version = signal(0);
  readonly events: RunEvent[] = [];
  readonly trace: RunTrace;
  readonly log = new VisitLog();
  readonly usage = new UsageLog();
  readonly texts = new LiveText();
  /** Changes when something has settled: what is kept in files has changed then. */
  settled = 0;
  /** Changes when the run begins, stops or is answered: what the server says of it has changed then. */
  turns = 0;

  constructor(edgeOfBranch: EdgeOfBranch) {
    this.trace = new RunTrace(edgeOfBranch);
  }

  /** @param events in their order, each once */
  add(events: readonly RunEvent[]): void {
    for (const event of events) {
      this.events.push(event);
      this.trace.add(event);
      this.log.add(event);
      this.usage.add(event);
      this.texts.add(event);
      if (settles(event)) this.settled += 1;
      if (turns(event)) this.turns += 1;
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

  get startedAt(): number | undefined {
    const [first] = this.events;
    return first === undefined ? undefined : Date.parse(first.timestamp);
  }

  get latestAt(): number | undefined {
    const last = this.events.at(-1);
    return last === undefined ? undefined : Date.parse(last.timestamp);
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

function settles({ type }: RunEvent): boolean {
  return (
    type === 'StageCompleted' || type === 'StageSkipped' || type === 'StageFailed' || turnTypes.has(type)
  );
}

function turns({ type }: RunEvent): boolean {
  return turnTypes.has(type);
}

const turnTypes: ReadonlySet<RunEvent['type']> = new Set([
  'PipelineStarted',
  'PipelineResumed',
  'PipelinePausing',
  'PipelinePaused',
  'PipelineCompleted',
  'PipelineFailed',
  'PipelineCancelled',
  'InterviewStarted',
  'InterviewCompleted',
  'InterviewTimeout',
] as const);
