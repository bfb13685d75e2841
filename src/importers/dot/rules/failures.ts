import { attributeText, type Edge, type Graph, type Node } from '../../../graph/graph.js';
import { outgoingEdges } from '../../../graph/queries.js';
import type { PipelineChange, PipelineRule } from '../dot-dialect.js';

/**
 * In the dialect, a failed stage follows a plain edge as a success does; here the run stops (§3.7, SEMANTICS 20), unless
 * `on_failure` says otherwise.
 */
export function plainEdgesTakeFailures(title: string): PipelineRule {
  return function* (graph): Iterable<PipelineChange> {
    if (graph.attributes.has('on_failure')) return;
    const isNeeded = [...graph.nodes.values()].some(
      (node) => works(node) && !handlesFailures(graph, node) && plainEdges(graph, node).length > 0,
    );
    if (!isNeeded) return;
    yield { kind: 'prologue', statement: 'graph [on_failure=continue]' };
    const message = `on_failure=continue lets a failed stage follow its plain edge, as in ${title}; the run is then degraded`;
    yield { kind: 'note', span: { start: 0, end: 0 }, note: { kind: 'changed', message } };
  };
}

/** The same for nodes that have conditions besides their plain edges: the others stop the run in both languages. */
export function elseEdgesTakeFailures(title: string): PipelineRule {
  return function* (graph): Iterable<PipelineChange> {
    for (const node of graph.nodes.values()) {
      const hasConditions = outgoingEdges(graph, node.id).some(({ attributes }) =>
        attributes.has('condition'),
      );
      if (!works(node) || !hasConditions || node.attributes.has('on_failure')) continue;
      if (handlesFailures(graph, node) || plainEdges(graph, node).length === 0) continue;
      yield { kind: 'set', nodeId: node.id, name: 'on_failure', raw: 'continue' };
      const message = `on_failure=continue lets a failure take the edge without a condition, as in ${title}; the run is then degraded`;
      yield { kind: 'note', span: node.span, note: { kind: 'changed', message } };
    }
  };
}

const withoutWork: ReadonlySet<string> = new Set([
  ...['Mdiamond', 'Msquare', 'diamond', 'hexagon', 'component', 'tripleoctagon'],
]);

function works({ attributes }: Node): boolean {
  return !withoutWork.has(String(attributes.get('shape')?.value ?? 'box'));
}

/** True if an edge of a node is for failures. */
function handlesFailures(graph: Graph, { id, attributes }: Node): boolean {
  if (attributes.has('retry_target')) return true;
  return outgoingEdges(graph, id).some((edge) =>
    /outcome\s*(?:==?\s*"?(?:fail|error)|!==?\s*"?succe)/.test(conditionOf(edge)),
  );
}

function conditionOf({ attributes }: Edge): string {
  const condition = attributes.get('condition')?.value;
  return condition === undefined ? '' : attributeText(condition);
}

/** Edges without a condition, but for those into a diamond, which takes failures anyway. */
function plainEdges(graph: Graph, { id }: Node): readonly Edge[] {
  return outgoingEdges(graph, id).filter(
    (edge) =>
      conditionOf(edge).trim() === '' &&
      graph.nodes.get(edge.to)?.attributes.get('shape')?.value !== 'diamond',
  );
}
