import type { Graph, Node } from '../../graph/graph.js';
import type { KnownHandlerTypes } from '../../graph/known-handler-types.js';
import { resultFields } from '../../graph/look-up.js';
import { nodesHandledBy } from '../../graph/queries.js';
import { declaredInputs } from '../../graph/values/declared-inputs.js';
import { writingType } from '../../graph/values/handler-keys.js';
import { contextKey, keyListOf } from '../../graph/values/key-lists.js';
import { type StagePath, stagePathOf } from '../../graph/values/seen-stages.js';
import type { ValueType } from '../../parser/key-list/ast.js';
import { printsJson } from './context-writes.js';
import { anything, either, missing, type Shape, shapeBelow, shapeOf, shapeOfType } from './value-shape.js';

/**
 * Values of a path that the engine, a handler or the inputs set, by their types (SEMANTICS 101, 104, 114). Undefined for a path
 * into the keys of authors.
 */
export function valueOfEngine(
  graph: Graph,
  path: string,
  handlerTypes: KnownHandlerTypes,
): Shape | undefined {
  const ofStage = stagePathOf(path);
  if (ofStage !== undefined) return valueOfStage(graph, ofStage);
  const key = contextKey(path);
  const [root = '', ...segments] = key.split('.');
  switch (root) {
    case 'inputs':
      return valueOfInput(graph, segments);
    case 'result':
      return valueOfResult(segments);
    case 'tool':
      return segments[0] === 'json'
        ? jsonOfTools(graph, segments.slice(1), handlerTypes)
        : valueOfHandler(key);
    case 'graph':
    case 'work':
    case 'stages':
      return anything;
    case 'outcome':
    case 'preferred_label':
      return anything;
    case 'internal':
      return typesOfEngine.has(key) ? valueOfHandler(key) : anything;
  }
  return writingType(key) === undefined ? undefined : valueOfHandler(key);
}

function valueOfInput(graph: Graph, [name = '', ...path]: readonly string[]): Shape {
  const entry = declaredInputs(graph)?.get(name);
  if (entry === undefined) return anything;
  const value = shapeOfType(entry.type);
  return shapeBelow(entry.isOptional ? either(value, missing) : value, path);
}

const word: ValueType = { kind: 'string' };
const integer: ValueType = { kind: 'integer' };
const boolean: ValueType = { kind: 'boolean' };
const list: ValueType = { kind: 'list' };
const category: ValueType = { kind: 'words', words: ['retryable', 'terminal', 'pipeline'] };

/** Types of keys that are not set in every run. */
const typesOfEngine: ReadonlyMap<string, ValueType> = new Map<string, ValueType>([
  ['last_stage', word],
  ['tool.output', word],
  ['tool.stderr', word],
  ['tool.last_line', word],
  ['tool.exit_code', integer],
  ['human.gate.selected', word],
  ['human.gate.label', word],
  ['human.gate.target', word],
  ['human.gate.text', word],
  ['parallel.results', list],
  ['parallel.count', integer],
  ['parallel.success_count', integer],
  ['parallel.fail_count', integer],
  ['parallel.items', integer],
  ['internal.restart_count', integer],
  ['internal.last_failure.category', category],
]);

function valueOfHandler(key: string): Shape {
  const type = typesOfEngine.get(key);
  return type === undefined ? anything : either(shapeOfType(type), missing);
}

const typesOfResult: ReadonlyMap<string, ValueType> = new Map<string, ValueType>([
  ['success', boolean],
  ['failure_category', category],
  ['suggested_next_ids', list],
]);

/** Any other name may be a key that the stage has set. */
function valueOfResult([field = '', ...path]: readonly string[]): Shape {
  const type = typesOfResult.get(field);
  if (type !== undefined) return shapeBelow(either(shapeOfType(type), missing), path);
  const fields: readonly string[] = resultFields;
  return fields.includes(field) && field !== 'context_updates' && path.length === 0
    ? either(shapeOfType(word), missing)
    : anything;
}

const typesOfStages: ReadonlyMap<string, ValueType> = new Map<string, ValueType>([
  ['success', boolean],
  ['failure_category', category],
  ['visits', integer],
  ['retries', integer],
]);

function valueOfStage(graph: Graph, { id, field = '', way: path, branch }: StagePath): Shape {
  if (branch === '*') return anything;
  const node = graph.nodes.get(id);
  if (node !== undefined && field === 'json') return shapeBelow(jsonOf(node), path);
  const type = typesOfStages.get(field);
  if (type === undefined) return anything;
  const value = shapeOfType(type);
  return shapeBelow(field === 'visits' ? value : either(value, missing), path);
}

/** JSON of the latest tool, whichever it was. */
function jsonOfTools(graph: Graph, path: readonly string[], handlerTypes: KnownHandlerTypes): Shape {
  const tools = nodesHandledBy(graph, handlerTypes, ({ type }) => type === 'tool');
  let result: Shape = missing;
  for (const node of tools) {
    if (printsJson(node)) result = either(result, jsonOf(node));
  }
  return shapeBelow(result, path);
}

/** JSON of a tool, whose members are the values of its `writes` (SEMANTICS 103); it may have others. */
function jsonOf(node: Node): Shape {
  const writes = node.attributes.get('writes');
  const entries = (writes && keyListOf(writes).list?.entries) ?? [];
  if (entries.every(({ isOptional }) => isOptional)) return anything;
  const members = new Map(
    entries
      .filter(({ key }) => !key.includes('.') && !node.attributes.has(`assign.${key}`))
      .map(({ key, type }) => [key, either(shapeOfType(type), missing)]),
  );
  return either(shapeOf([{ kind: 'type', type: { kind: 'map' }, members }]), missing);
}
