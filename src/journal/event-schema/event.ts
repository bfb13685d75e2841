import { z } from 'zod';
import { ordinal, text } from './values.js';

/** Fields of all events (SEMANTICS 74). */
const header = {
  seq: ordinal('Number of the event in its run: 1, 2, 3, … without gaps.'),
  timestamp: z.iso.datetime().meta({ description: 'Time of the event: ISO 8601, UTC.' }),
  run_id: text('Id of the run.'),
  description: text('One sentence about the event, for people.'),
};

/**
 * Schema of one type of event (§9.6).
 * @param description of the moment at which it happens
 * @param fields besides those of all events
 */
export function event<Type extends string, Fields extends z.core.$ZodShape>(
  type: Type,
  description: string,
  fields: Fields,
) {
  return z
    .object({ type: z.literal(type).meta({ description: 'Type of the event.' }), ...header, ...fields })
    .meta({ id: type, title: type, description });
}
