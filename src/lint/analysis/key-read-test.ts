import type { Graph } from '../../graph/graph.js';
import { graphTemplate } from '../../graph/templates.js';
import { contextKey } from '../../graph/values/key-lists.js';
import { attributesWithValues } from '../written-attributes.js';
import { contextReads } from './context-reads.js';

const variable = /ATTRACTOR_CTX_([A-Z0-9_]+)/g;
/** Path of a file with the whole context, so that a command with it may read any key (SEMANTICS 111). */
const contextFile = /\bATTRACTOR_CONTEXT\b/;

/** Tells if a key, a part of its value, or a map around it is read by any `reads`, condition, template or command of a pipeline. */
export function keyReadTest(graph: Graph): (key: string, inBranch: boolean) => boolean {
  const testedKeys = new Set<string>();
  const prefixes = new Set<string>();
  const variables = new Set<string>();
  for (const key of [...contextReads(graph).map(({ key }) => key), ...keysOfGraph(graph)]) {
    // `result.x` is the value that the stage before has just set as `x`.
    for (const path of [key.replace(/^result\.(?:context_updates\.)?/, ''), keyInJson(key)]) {
      if (path === undefined) continue;
      testedKeys.add(path);
      for (const prefix of prefixesOf(path)) prefixes.add(prefix);
    }
  }
  for (const node of graph.nodes.values()) {
    const command = node.attributes.get('tool_command');
    if (typeof command?.value !== 'string') continue;
    if (contextFile.test(command.value)) return () => true;
    for (const [, name = ''] of command.value.matchAll(variable)) variables.add(name);
  }
  for (const name of bareNames(graph)) testedKeys.add(name);
  const readsBranches = [...testedKeys].some((path) => path.startsWith('parallel.'));
  return (key, inBranch) => {
    if (testedKeys.has(key) || prefixes.has(key) || prefixesOf(key).some((prefix) => testedKeys.has(prefix)))
      return true;
    if (variables.has(key.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_'))) return true;
    return inBranch && (readsBranches || key === 'score');
  };
}

/** Key that a tool declares and prints in its JSON (SEMANTICS 103): `tool.json.plan`, `stages.test.json.plan`. */
function keyInJson(key: string): string | undefined {
  return /^(?:tool|(?:parallel\.results\.[^.]+\.)?stages\.[^.]+)\.json\.(.+)$/.exec(key)?.[1];
}

/** `${plan}`, which `unknown_value_root` finds: who writes it means to read the key. */
function bareNames(graph: Graph): readonly string[] {
  return attributesWithValues(graph).flatMap(({ attribute: { value } }) =>
    [...String(value).matchAll(/\$\{(\w+)\}/g)].flatMap(([, name]) => name ?? []),
  );
}

/** `a`, `a.b` of `a.b.c`. */
function prefixesOf(key: string): readonly string[] {
  const segments = key.split('.');
  return segments.slice(1).map((_, index) => segments.slice(0, index + 1).join('.'));
}

/** Keys in the texts of the graph: directories of tools and children, the system prompt. */
function keysOfGraph(graph: Graph): readonly string[] {
  const names = ['workdir', 'stack.child_workdir', 'system_prompt'] as const;
  const templates = names.map((name) => graphTemplate(graph, name));
  return templates.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.kind === 'value' ? [contextKey(part.path)] : [])),
  );
}
