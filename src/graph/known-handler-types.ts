import { customHandlerType, type HandlerType, handlerTypes } from './handler-types.js';
import { omitUndefined } from './omit-undefined.js';

/** Names that are valid in a `type` attribute, with the rows of those that are not built in (§4.2, §4.12). */
export interface KnownHandlerTypes extends ReadonlySet<string> {
  readonly described?: ReadonlyMap<string, HandlerType>;
}

/** Description of a handler type that a program registers, for lint, routing and pictures (§4.12). */
export type HandlerDescription = Partial<
  Pick<
    HandlerType,
    | 'title'
    | 'summary'
    | 'llm'
    | 'instant'
    | 'inheritsOutcome'
    | 'retriesFailure'
    | 'failureReachesConditional'
    | 'ownsTimeout'
  >
>;

/**
 * Every type that is valid in a `type` attribute: the built-in ones and those that a program registers
 * (§4.2, §4.12).
 */
export function knownHandlerTypes(registered: Iterable<string | HandlerType> = []): KnownHandlerTypes {
  const names = new Set(handlerTypes.map((row): string => row.type));
  const described = new Map<string, HandlerType>();
  for (const entry of registered) {
    const row = typeof entry === 'string' ? customHandlerType(entry) : entry;
    if (!names.has(row.type)) described.set(row.type, row);
    names.add(row.type);
  }
  return Object.assign(names, { described });
}

/** The row of a handler type that a program describes (§4.12). */
export function describedHandlerType(type: string, description: HandlerDescription): HandlerType {
  const { title, summary, llm, instant } = description;
  const { inheritsOutcome, retriesFailure, failureReachesConditional, ownsTimeout } = description;
  const routing = { inheritsOutcome, retriesFailure, failureReachesConditional, ownsTimeout };
  return { ...customHandlerType(type), ...omitUndefined({ title, summary, llm, instant, ...routing }) };
}
