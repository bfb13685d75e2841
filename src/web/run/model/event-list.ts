import type { RunEvent } from '../../../machine/event.js';

/** Filter of a run's events; empty fields let all through. */
export interface EventFilter {
  readonly group: EventGroup;
  /** The id of a node, or a part of a sentence; in any case of letters. */
  readonly text: string;
}

/** Kinds of event that are looked for together. */
export const eventGroups = ['all', 'run', 'stages', 'routing', 'models', 'people', 'problems'] as const;
export type EventGroup = (typeof eventGroups)[number];

/** The events that a filter lets through, kept as more events come without looking at the old ones again. */
export class EventList {
  readonly #events: readonly RunEvent[];
  #filter: EventFilter = { group: 'all', text: '' };
  #found: number[] = [];
  #seen = 0;

  /** @param events grows at its end */
  constructor(events: readonly RunEvent[]) {
    this.#events = events;
  }

  /** Positions in the list of all events, in their order. */
  matching(filter: EventFilter): readonly number[] {
    if (filter.group !== this.#filter.group || filter.text !== this.#filter.text) {
      this.#filter = filter;
      this.#found = [];
      this.#seen = 0;
    }
    const isWanted = testOf(filter);
    for (; this.#seen < this.#events.length; this.#seen += 1) {
      const event = this.#events[this.#seen];
      if (event !== undefined && isWanted(event)) this.#found.push(this.#seen);
    }
    return this.#found;
  }
}

function testOf({ group, text }: EventFilter): (event: RunEvent) => boolean {
  const words = text.trim().toLowerCase();
  return (event) =>
    (group === 'all' || groupsOf(event).includes(group)) &&
    (words === '' ||
      event.type.toLowerCase().includes(words) ||
      event.description.toLowerCase().includes(words) ||
      (nodeOfEvent(event)?.toLowerCase().includes(words) ?? false));
}

/** Stage of an event, if it has one. */
function nodeOfEvent(event: RunEvent): string | undefined {
  if ('node_id' in event) return event.node_id;
  if ('stage' in event) return event.stage;
  return 'from' in event && 'to' in event ? event.from : undefined;
}

/** The groups that an event belongs to, besides `all`. */
export function groupsOf(event: RunEvent): readonly EventGroup[] {
  switch (event.type) {
    case 'PipelineFailed':
      return ['run', 'problems'];
    case 'PipelineStarted':
    case 'PipelineResumed':
    case 'PipelinePausing':
    case 'PipelinePaused':
    case 'PipelineCompleted':
    case 'PipelineCancelled':
    case 'CheckpointSaved':
      return ['run'];
    case 'StageFailed':
    case 'StageSuspended':
      return ['stages', 'problems'];
    case 'StageStarted':
    case 'StageCompleted':
    case 'StageSkipped':
    case 'StageRetrying':
      return ['stages'];
    case 'EdgeSelected':
    case 'LoopRestarted':
    case 'ParallelItems':
    case 'ParallelStarted':
    case 'ParallelBranchStarted':
    case 'ParallelCompleted':
      return ['routing'];
    case 'ParallelBranchCompleted':
      return event.success ? ['routing'] : ['routing', 'problems'];
    case 'StageOutput':
    case 'ToolCallStarted':
    case 'ModelUsed':
    case 'StageSteered':
    case 'SteeringDelivered':
    case 'SessionStarted':
      return ['models'];
    case 'RequestRetrying':
    case 'ConversationCompacting':
      return ['models', 'problems'];
    case 'ToolCallCompleted':
      return event.success ? ['models'] : ['models', 'problems'];
    case 'BudgetWarning':
    case 'BudgetExceeded':
      return ['models', 'problems'];
    case 'InterviewStarted':
    case 'InterviewCompleted':
      return ['people'];
    case 'InterviewTimeout':
      return ['people', 'problems'];
    case 'LogAppended':
      return event.level === 'warning' ? ['stages', 'problems'] : ['stages'];
  }
}
