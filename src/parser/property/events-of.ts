import type { Events, Property, StageEvent } from './ast.js';

/** All events that a property speaks of. */
export function eventsOf(property: Property): readonly StageEvent[] {
  return partsOf(property).flatMap((part) => (part === undefined || part === 'completion' ? [] : part));
}

function partsOf(property: Property): readonly (Events | 'completion' | undefined)[] {
  switch (property.kind) {
    case 'bound':
      return [property.counted, property.after, property.before];
    case 'precedence':
      return [property.events, property.required, property.since];
    case 'response':
      return [property.trigger, property.required, property.before];
  }
}
