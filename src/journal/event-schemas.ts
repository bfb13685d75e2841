import type { z } from 'zod';
import type { EventBody } from '../machine/event.js';
import { budgetEvents } from './event-schema/budget.js';
import { controlEvents } from './event-schema/control.js';
import { interviewEvents } from './event-schema/interview.js';
import { parallelEvents } from './event-schema/parallel.js';
import { pipelineEvents } from './event-schema/pipeline.js';
import { progressEvents } from './event-schema/progress.js';
import { stageEvents } from './event-schema/stage.js';

/** The schema of every event of a run (§9.6), by type. Made when a journal is read: a run that starts needs none. */
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

/** An event as its schema has it; a test holds it against `RunEvent`. */
export type SchemaEvent = { [Type in keyof EventSchemas]: z.output<EventSchemas[Type]> }[keyof EventSchemas];
