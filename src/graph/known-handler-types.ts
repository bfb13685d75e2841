import { handlerTypes } from './handler-types.js';

/** Every type that may stand in a `type` attribute: the built-in ones and those that a program registers (§4.2, §4.12). */
export function knownHandlerTypes(registered: Iterable<string> = []): ReadonlySet<string> {
  return new Set([...handlerTypes.map((row) => row.type), ...registered]);
}
