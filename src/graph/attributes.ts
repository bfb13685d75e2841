import type {
  AttributeDefinition,
  AttributeTable,
  AttributeType,
} from './attribute-tables/attribute-definition.js';
import { edgeAttributes } from './attribute-tables/edge-attributes.js';
import { graphAttributes } from './attribute-tables/graph-attributes.js';
import { nodeAttributes } from './attribute-tables/node-attributes.js';
import type { AttributeMap, AttributeValue, Duration } from './graph.js';

// Readers of the attributes that `attribute-tables/` describes.

export type AttributeOwner = 'graph' | 'node' | 'edge';

const tables: Readonly<Record<AttributeOwner, AttributeTable>> = {
  graph: graphAttributes,
  node: nodeAttributes,
  edge: edgeAttributes,
};

/** Row of an attribute, or undefined for an unknown name. */
export function attributeDefinition(owner: AttributeOwner, name: string): AttributeDefinition | undefined {
  const family = familiesOf(owner).find((prefix) => name.startsWith(prefix));
  const row = family === undefined ? name : `${family}*`;
  return Object.hasOwn(tables[owner], row) ? tables[owner][row] : undefined;
}

/** Prefix of attributes that are inputs of a child pipeline (§9.4). */
export const parameterPrefix = 'params.';

/** Prefix of attributes that set a context key (SEMANTICS 102). */
export const assignPrefix = 'assign.';

/** Prefix of attributes of the graph that say a property of its runs. */
export const checkPrefix = 'check.';

const families: Readonly<Record<AttributeOwner, readonly string[]>> = {
  graph: [checkPrefix],
  node: [parameterPrefix, assignPrefix],
  edge: [],
};

/** Prefixes of attributes whose names authors complete. */
export function familiesOf(owner: AttributeOwner): readonly string[] {
  return families[owner];
}

/** Names of an owner's attributes, in the order of the table. */
export function attributeNames(owner: AttributeOwner): readonly string[] {
  return Object.keys(tables[owner]);
}

/** Attributes of a node that stages of a kind read and not all stages do, in the order of the table. */
export function attributesOfKind(kind: string): readonly string[] {
  return Object.keys(tables.node).filter((name) => tables.node[name]?.kinds?.some((one) => one === kind));
}

const graphDefaults = defaultsIn(graphAttributes);
const nodeDefaults = defaultsIn(nodeAttributes);
const edgeDefaults = defaultsIn(edgeAttributes);

interface HasAttributes {
  readonly attributes: AttributeMap;
}

type ValueOfType<Type extends AttributeType> = Type extends 'string'
  ? string
  : Type extends 'integer' | 'number'
    ? number
    : Type extends 'boolean'
      ? boolean
      : Type extends 'any'
        ? AttributeValue
        : Duration;

/** Words in the place of a number. */
type WordOf<Definition> = Definition extends {
  readonly type: 'number';
  readonly values: readonly (infer Word)[];
}
  ? Word
  : never;

type ReadValue<Definition extends AttributeDefinition> =
  | ValueOfType<Definition['type']>
  | WordOf<Definition>
  | (Definition extends { readonly default: string | number | boolean } ? never : undefined);

/** A graph attribute with its default applied, typed by the table. */
export function graphAttribute<Name extends keyof typeof graphAttributes>(
  graph: HasAttributes,
  name: Name,
): ReadValue<(typeof graphAttributes)[Name]> {
  return readAttribute(graphDefaults, graph, name) as ReadValue<(typeof graphAttributes)[Name]>;
}

/** A node attribute with its default applied, typed by the table. */
export function nodeAttribute<Name extends keyof typeof nodeAttributes>(
  node: HasAttributes,
  name: Name,
): ReadValue<(typeof nodeAttributes)[Name]> {
  return readAttribute(nodeDefaults, node, name) as ReadValue<(typeof nodeAttributes)[Name]>;
}

/** An edge attribute with its default applied, typed by the table. */
export function edgeAttribute<Name extends keyof typeof edgeAttributes>(
  edge: HasAttributes,
  name: Name,
): ReadValue<(typeof edgeAttributes)[Name]> {
  return readAttribute(edgeDefaults, edge, name) as ReadValue<(typeof edgeAttributes)[Name]>;
}

function readAttribute(
  defaults: ReadonlyMap<string, AttributeValue>,
  owner: HasAttributes,
  name: string,
): AttributeValue | undefined {
  const written = owner.attributes.get(name);
  return written === undefined ? defaults.get(name) : written.value;
}

function defaultsIn(table: AttributeTable): ReadonlyMap<string, AttributeValue> {
  const defaults = new Map<string, AttributeValue>();
  for (const [name, definition] of Object.entries(table)) {
    if (definition.default === undefined) continue;
    const isDuration = definition.type === 'duration';
    const value = isDuration ? millisecondsOf(Number(definition.default)) : definition.default;
    defaults.set(name, value);
  }
  return defaults;
}

function millisecondsOf(milliseconds: number): Duration {
  return { milliseconds, text: `${milliseconds}ms` };
}
