import type { z } from 'zod';
import type { EventBody } from '../machine/event.js';
import { controlEvents } from './event-schema/control.js';
import { interviewEvents } from './event-schema/interview.js';
import { parallelEvents } from './event-schema/parallel.js';
import { pipelineEvents } from './event-schema/pipeline.js';
import { stageEvents } from './event-schema/stage.js';

/** The schema of every event of a run (§9.6), by type. */
export const eventSchemas = {
  ...pipelineEvents,
  ...stageEvents,
  ...controlEvents,
  ...parallelEvents,
  ...interviewEvents,
} satisfies Readonly<Record<EventBody['type'], z.ZodObject>>;

type Schemas = typeof eventSchemas;

/** An event as its schema has it; a test holds it against `RunEvent`. */
export type SchemaEvent = { [Type in keyof Schemas]: z.output<Schemas[Type]> }[keyof Schemas];
