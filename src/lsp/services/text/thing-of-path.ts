import type { Span } from '../../../diagnostic/source.js';
import type { Graph } from '../../../graph/graph.js';
import { foreachOf } from '../../../graph/parallel.js';
import { perObject } from '../../../graph/per-object.js';
import { declaredInputs } from '../../../graph/values/declared-inputs.js';
import { writingType } from '../../../graph/values/handler-keys.js';
import { stagePathOf } from '../../../graph/values/seen-stages.js';
import { reservedAs, writtenKeys } from '../../../graph/values/written-keys.js';
import type { NamedThing } from './named-thing.js';
import type { PipelineText } from './pipeline-text.js';

/** Part of a path that names something: the id in `stages.test.output`, the key in `context.plan.0`. */
export interface NamedPart {
  readonly thing: NamedThing;
  /** Within the path. */
  readonly span: Span;
}

/** Thing that a path of a value names (SEMANTICS §12 "Lookup of a key", 97, 104). */
export function thingOfPath(path: string, pipeline: PipelineText): NamedPart {
  const { graph, uri: owner } = pipeline;
  const stage = stagePathOf(path);
  if (stage !== undefined) {
    const start = path.indexOf('stages.') + 'stages.'.length;
    return part('node', stage.id, owner, start);
  }
  const [prefix = ''] = /^(?:context|state)\./.exec(path) ?? [];
  const key = path.slice(prefix.length);
  if (key.startsWith('inputs.')) {
    const rest = key.slice('inputs.'.length);
    return part('input', inputIn(graph, rest) ?? firstOf(rest), owner, prefix.length + 'inputs.'.length);
  }
  if (key.startsWith('graph.')) {
    const start = prefix.length + 'graph.'.length;
    return part('graph_attribute', path.slice(start), owner, start);
  }
  const written = longestPrefix(key, keysOf(graph));
  if (written !== undefined) return part('key', written, owner, prefix.length);
  const input = inputIn(graph, key);
  if (input !== undefined) return part('input', input, owner, prefix.length);
  const isEngines = reservedAs(key) !== undefined || writingType(key) !== undefined;
  return part(isEngines ? 'engine_key' : 'key', key, owner, prefix.length);
}

function part(kind: NamedThing['kind'], name: string, owner: string, start: number): NamedPart {
  return { thing: { kind, name, owner }, span: { start, end: start + name.length } };
}

function inputIn(graph: Graph, path: string): string | undefined {
  return longestPrefix(path, declaredInputs(graph) ?? noKeys);
}

const noKeys: ReadonlyMap<string, unknown> = new Map();

/** Context keys that stages of a graph set, with the key of the items of a list (SEMANTICS 102, 106). */
const keysOf = perObject((graph: Graph): ReadonlySet<string> => {
  const keys = new Set<string>();
  for (const node of graph.nodes.values()) {
    for (const { key } of writtenKeys(node)) keys.add(key);
    const foreach = node.attributes.has('foreach') ? foreachOf(node) : undefined;
    if (foreach !== undefined) keys.add(foreach.as);
  }
  return keys;
});

/** Longest known key that a path is, or goes into. */
function longestPrefix(
  path: string,
  known: { has(key: string): boolean; readonly size: number },
): string | undefined {
  if (known.size === 0) return undefined;
  for (let end = path.length; end > 0; end = path.lastIndexOf('.', end - 1)) {
    const key = path.slice(0, end);
    if (known.has(key)) return key;
  }
  return undefined;
}

function firstOf(path: string): string {
  return path.split('.', 1)[0] ?? path;
}
