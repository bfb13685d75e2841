import { excerpt } from '../../../diagnostic/excerpt.js';
import { nodeAttribute } from '../../../graph/attributes.js';
import type { Attribute, Graph, Node } from '../../../graph/graph.js';
import { nodesHandledBy } from '../../../graph/queries.js';
import { type ControlFlow, controlFlow, type Place } from '../../analysis/control-flow.js';
import { wayWithout } from '../../analysis/ways-without.js';
import { valueSpanOf } from '../../findings-inside.js';
import type { LintRule } from '../../rule.js';

/**
 * §9.4, SEMANTICS 113: the file that a stage runs as a pipeline exists, or a stage before it can write it.
 */
export const childExists: LintRule = {
  name: 'child_exists',
  severity: 'error',
  summary: 'The pipeline that a stage runs exists.',
  rationale:
    'A stage that runs another pipeline fails if the file does not exist. `child` and `stack.child_dotfile` are relative to the file that contains them. If a tool, an LLM stage or a plugin stage comes before on every path, it could write the file, so the finding is only a warning. Correct the name, or create the file.',
  needsFiles: true,
  *apply(graph, { handlerTypes, source, childExists: exists }) {
    if (exists === undefined) return;
    const flow = controlFlow(graph, handlerTypes);
    const seen = new Set<Attribute>();
    for (const node of nodesHandledBy(graph, handlerTypes, ({ runsChild }) => runsChild)) {
      const attribute = childAttribute(graph, node);
      const file = attribute === undefined ? '' : String(attribute.value).trim();
      if (attribute === undefined || seen.has(attribute) || file === '' || exists(file)) continue;
      seen.add(attribute);
      const isWritten = mayBeWritten(flow, node);
      yield {
        severity: isWritten ? 'warning' : 'error',
        message: isWritten
          ? `the pipeline of ${excerpt(node.id)}, ${excerpt(file)}, does not exist yet: an earlier stage has to write it`
          : `the pipeline of ${excerpt(node.id)}, ${excerpt(file)}, does not exist, and no earlier stage could write it`,
        span: valueSpanOf(attribute, source),
        nodeId: node.id,
        fix: { title: 'correct the name; it is relative to the directory of this file', edits: [] },
      };
    }
  },
};

function childAttribute(graph: Graph, node: Node): Attribute | undefined {
  if (!nodeAttribute(node, 'stack.child_autostart')) return undefined;
  const own = node.attributes.get('child');
  if (own !== undefined && String(own.value).trim() !== '') return own;
  return node.attributes.get('type')?.value === 'pipeline'
    ? own
    : graph.attributes.get('stack.child_dotfile');
}

/** True if every path to a stage passes one that can write files. */
function mayBeWritten(flow: ControlFlow, node: Node): boolean {
  if (!flow.isComplete) return true;
  const writers = new Set(flow.places.filter(canWrite).map(({ index }) => index));
  const places = flow.placesOf(node.id);
  return (
    places.length > 0 &&
    places.every(({ index }) => wayWithout(flow, index, writersBut(writers, index)) === undefined)
  );
}

function writersBut(writers: ReadonlySet<number>, index: number): ReadonlySet<number> {
  return new Set([...writers].filter((writer) => writer !== index));
}

function canWrite({ handler }: Place): boolean {
  return !handler.harmless;
}
