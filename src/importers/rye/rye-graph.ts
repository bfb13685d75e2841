import type { Diagnostic } from '../../diagnostic/diagnostic.js';
import type { Span } from '../../diagnostic/source.js';
import type { JsonValue } from '../../graph/json.js';
import { problem, readStructured } from '../structured-source.js';

export type RyeMap = Readonly<Record<string, JsonValue>>;

/** State graph of Rye, as its walker reads it. */
export interface RyeGraph {
  readonly description: string;
  /** Inputs by name: their JSON Schema. */
  readonly inputs: ReadonlyMap<string, RyeMap>;
  readonly required: readonly string[];
  readonly environment: readonly string[];
  readonly start: string;
  readonly maxSteps: number;
  readonly continues: boolean;
  readonly state: RyeMap;
  readonly hooks: readonly RyeMap[];
  readonly nodes: readonly RyeNode[];
  readonly hasPermissions: boolean;
  spanOf(path: readonly (string | number)[]): Span;
}

export interface RyeNode {
  readonly name: string;
  readonly kind: 'action' | 'gate' | 'foreach' | 'return';
  readonly itemId: string;
  readonly itemType: string;
  readonly params: RyeMap;
  readonly assign: RyeMap;
  /** In the order of the file; `when` is missing for the last resort. */
  readonly next: readonly { readonly to: string; readonly when?: JsonValue }[];
  readonly onError?: string | undefined;
  readonly over: string;
  readonly as: string;
  readonly collect?: string | undefined;
  readonly isParallel: boolean;
  readonly written: RyeMap;
  readonly span: Span;
}

export function isRye(text: string): boolean {
  return (
    /^\s*["']?tool_type["']?\s*:\s*["']?(?:state_)?graph\b/m.test(text) ||
    /\bexecutor_id\s*:\s*\S*state[-_]graph/.test(text)
  );
}

/** Reads a graph; errors for what is not one. */
export function readRyeGraph(text: string): RyeGraph | readonly Diagnostic[] {
  const source = readStructured(text, 'yaml');
  if (!('spanOf' in source)) return source;
  const root = mapOf(source.value);
  const config = mapOf(root.config);
  const nodes = mapOf(config.nodes);
  const at = (path: readonly (string | number)[]) => source.spanOf(path).start;
  if (Object.keys(nodes).length === 0)
    return [problem(at(['config']), 'not a Rye graph: `config.nodes` has no nodes')];
  const start = textOf(config.start);
  if (!Object.hasOwn(nodes, start)) {
    const found = start === '' ? 'is missing' : `names "${start}", which is not a node`;
    return [problem(at(['config', 'start']), `\`config.start\` ${found}: name the first node`)];
  }
  const schema = mapOf(root.config_schema);
  return {
    description: textOf(root.description),
    inputs: new Map(Object.entries(mapOf(schema.properties)).map(([name, one]) => [name, mapOf(one)])),
    required: textsOf(schema.required),
    environment: [
      ...textsOf(root.env_requires),
      ...Object.values(nodes).flatMap((node) => textsOf(mapOf(node).env_requires)),
    ],
    start,
    maxSteps: typeof config.max_steps === 'number' ? config.max_steps : 100,
    continues: config.on_error === 'continue',
    state: mapOf(config.state),
    hooks: listOf(config.hooks).map(mapOf),
    nodes: Object.entries(nodes).map(([name, node]) =>
      readNode(name, mapOf(node), source.spanOf(['config', 'nodes', name])),
    ),
    hasPermissions: root.permissions !== undefined,
    spanOf: (path) => source.spanOf(path),
  };
}

function readNode(name: string, node: RyeMap, span: Span): RyeNode {
  const action = mapOf(node.action);
  const [, prefix, id] = /^(?:(tool|directive|knowledge):)?(.*)$/s.exec(textOf(action.item_id)) ?? [];
  const type = textOf(node.type);
  // A node that does nothing only decides where to go.
  const other = action.item_id === undefined ? 'gate' : 'action';
  const kind = type === 'return' || type === 'gate' || type === 'foreach' ? type : other;
  return {
    name,
    kind,
    itemId: (id ?? '').replace(/^rye\/bash\/bash$/, 'rye/bash'),
    itemType: prefix ?? (textOf(action.item_type) || 'tool'),
    params: mapOf(action.params ?? action.parameters),
    assign: mapOf(node.assign),
    next: readNext(node.next),
    onError: typeof node.on_error === 'string' ? node.on_error : undefined,
    over: textOf(node.over),
    as: textOf(node.as) || 'item',
    collect: typeof node.collect === 'string' ? node.collect : undefined,
    isParallel: node.parallel === true,
    written: node,
    span,
  };
}

function readNext(next: JsonValue | undefined): RyeNode['next'] {
  if (typeof next === 'string') return [{ to: next }];
  return listOf(next).flatMap((one) => {
    const { to, when } = mapOf(one);
    if (typeof to !== 'string') return [];
    return [when === undefined || when === null ? { to } : { to, when }];
  });
}

export function mapOf(value: JsonValue | undefined): RyeMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as RyeMap) : {};
}

export function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value.trim() : '';
}

function textsOf(value: JsonValue | undefined): readonly string[] {
  return listOf(value).filter((one) => typeof one === 'string');
}
