import type { Attribute, Graph, Node } from '../../../graph/graph.js';
import { graphTemplate } from '../../../graph/templates.js';
import { contextKey, listedKeys } from '../../../graph/values/key-lists.js';
import { contextReads } from '../../analysis/context-reads.js';
import { isAlwaysSet, writingType } from '../../analysis/context-writes.js';
import { type ControlFlow, controlFlow, type Step } from '../../analysis/control-flow.js';
import { attributeOwners } from '../../attribute-owners.js';
import { spanInside } from '../../findings-inside.js';
import type { LintRule } from '../../rule.js';
import { attributesWithValues } from '../../written-attributes.js';

/** SEMANTICS §12: a declared write is meant to be read by another stage. */
export const neverRead: LintRule = {
  name: 'never_read',
  severity: 'info',
  summary: 'What stands in a `writes` is read somewhere.',
  rationale:
    'A key that a stage names in its `writes`, and that no `reads`, no condition, no template and no command asks for, is left over, or misspelt in one of the two places. Name it in the `reads` of the stage that needs it: models see the context in what they are told, and so the graph alone does not show it. A key of the last stage of a pipeline is its result, and a `score` in a branch is for the fan-in.',
  provesAbsence: true,
  *apply(graph, { handlerTypes, source }) {
    const writing = attributeOwners(graph).nodesWith('writes');
    if (writing.length === 0) return;
    const flow = controlFlow(graph, handlerTypes);
    const isRead = readTest(graph);
    const reported = new Set<Attribute>();
    for (const node of writing) {
      const attribute = node.attributes.get('writes');
      if (attribute === undefined || reported.has(attribute) || isLast(flow, node)) continue;
      reported.add(attribute);
      const inBranch = flow.placesOf(node.id).some(({ region }) => region !== undefined);
      for (const { key, span } of listedKeys(attribute)) {
        if (isAlwaysSet(key) || writingType(key) !== undefined || isRead(key, inBranch)) continue;
        yield {
          message: `nothing reads \`${key}\`: no \`reads\`, no condition, no template and no command of this pipeline asks for it`,
          span: spanInside(attribute, span, source),
          nodeId: node.id,
          fix: { title: 'name it in the `reads` of the stage that needs it, or leave it out', edits: [] },
        };
      }
    }
  },
};

/** True if only the end follows a stage: then its writes are the result of the pipeline. */
function isLast(flow: ControlFlow, { id }: Node): boolean {
  const isEnd = ({ to, by }: Step) => by === 'goal_gate' || flow.places[to]?.handler.type === 'exit';
  return flow
    .placesOf(id)
    .every(({ index, region }) => region === undefined && flow.stepsFrom(index).every(isEnd));
}

const variable = /ATTRACTOR_CTX_([A-Z0-9_]+)/g;

/** Returns a test that is true if a key, a part of its value, or an enclosing value is read anywhere. */
function readTest(graph: Graph): (key: string, inBranch: boolean) => boolean {
  const asked = new Set<string>();
  const around = new Set<string>();
  const variables = new Set<string>();
  for (const key of [...contextReads(graph).map(({ key }) => key), ...keysOfGraph(graph)]) {
    // `result.x` is the value that the stage before has just set as `x`.
    const path = key.replace(/^result\.(?:context_updates\.)?/, '');
    asked.add(path);
    for (const prefix of prefixesOf(path)) around.add(prefix);
  }
  for (const node of graph.nodes.values()) {
    const command = node.attributes.get('tool_command');
    if (typeof command?.value !== 'string' || !command.value.includes('ATTRACTOR_CTX_')) continue;
    for (const [, name = ''] of command.value.matchAll(variable)) variables.add(name);
  }
  for (const name of bareNames(graph)) asked.add(name);
  const readsBranches = [...asked].some((path) => path.startsWith('parallel.'));
  return (key, inBranch) => {
    if (asked.has(key) || around.has(key) || prefixesOf(key).some((prefix) => asked.has(prefix))) return true;
    if (variables.has(key.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_'))) return true;
    return inBranch && (readsBranches || key === 'score');
  };
}

/** Names in `${plan}`, which `unknown_value_root` reports: their author means to read the key. */
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

/** Keys in the directories of tools and children. */
function keysOfGraph(graph: Graph): readonly string[] {
  const templates = [graphTemplate(graph, 'workdir'), graphTemplate(graph, 'stack.child_workdir')];
  return templates.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.kind === 'value' ? [contextKey(part.path)] : [])),
  );
}
