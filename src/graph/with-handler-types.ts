import type { HandlerType } from './handler-types.js';
import { knownHandlerTypes } from './known-handler-types.js';
import { buildProgram, type Program } from './program.js';
import { handlerTypeOf } from './queries.js';

/**
 * Program for an engine with handlers for these types (§4.2): the compiler may not have known them, and a
 * stage that names one must not be taken for another kind of stage.
 */
export function withHandlerTypes(program: Program, registered: readonly (string | HandlerType)[]): Program {
  if (registered.length === 0) return program;
  const nodes = [...program.nodes.values()];
  const handlerTypes = knownHandlerTypes([...nodes.map(({ handler }) => handler), ...registered]);
  const isSame = nodes.every(
    ({ node, handler }) => handlerTypeOf(program.graph, node, handlerTypes).type === handler.type,
  );
  if (isSame) return program;
  const imposed = program.monitors.filter(({ origin }) => origin !== 'pipeline');
  return buildProgram(program.graph, handlerTypes, imposed);
}
