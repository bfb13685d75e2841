import type { z } from 'zod';
import type { EventBody } from '../machine/event.js';
import { budgetEvents } from './event-schema/budget.js';
import { controlEvents } from './event-schema/control.js';
import { interviewEvents } from './event-schema/interview.js';
import { parallelEvents } from './event-schema/parallel.js';
import { pipelineEvents } from './event-schema/pipeline.js';
import { progressEvents } from './event-schema/progress.js';
import { stageEvents } from './event-schema/stage.js';

/** Schema of every event of a run (§9.6), by type. Created when a journal is read: a new run needs none. */
export function eventSchemas(): EventSchemas {
  made ??= makeSchemas();
  return made;
}

const makeSchemas = () =>
  ({
    ...pipelineEvents(),
    ...stageEvents(),
    ...progressEvents(),
    ...budgetEvents(),
    ...controlEvents(),
    ...parallelEvents(),
    ...interviewEvents(),
  }) satisfies Readonly<Record<EventBody['type'], z.ZodObject>>;

type EventSchemas = ReturnType<typeof makeSchemas>;

let made: EventSchemas | undefined;

/** Event by its schema; a test compares it with `RunEvent`. */
export type SchemaEvent = { [Type in keyof EventSchemas]: z.output<EventSchemas[Type]> }[keyof EventSchemas];
