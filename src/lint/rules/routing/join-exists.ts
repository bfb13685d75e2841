import { excerpt } from '../../../diagnostic/excerpt.js';
import type { Attribute, Graph, Node } from '../../../graph/graph.js';
import { exitNodes, handlerTypeOf, outgoingEdges, startNodes } from '../../../graph/queries.js';
import { attributeOwners } from '../../attribute-owners.js';
import { listNames } from '../../list-names.js';
import { nameSuggester } from '../../name-suggester.js';
import type { Finding, LintRule } from '../../rule.js';

/** SEMANTICS 106: the join that a parallel node names must be a node to which its branches lead. */
export const joinExists: LintRule = {
  name: 'join_exists',
  severity: 'error',
  summary: 'The `join` of a parallel node is a node that its branches reach.',
  rationale:
    'The branches of a parallel node end at its `join`, and the run continues there. A join that is not a node, or that no branch reaches, is a mistake. A branch that cannot reach it runs until the exit or a dead end. Name the first stage after the branches.',
  provesAbsence: true,
  *apply(graph, { handlerTypes }) {
    const suggest = nameSuggester(graph.nodes.keys());
    for (const node of attributeOwners(graph).nodesWith('join')) {
      const attribute = node.attributes.get('join');
      if (attribute === undefined || attribute.value === '') continue;
      if (!handlerTypeOf(graph, node, handlerTypes).forks) continue;
      const finding = problemOf(graph, node, attribute, suggest);
      if (finding !== undefined) yield { ...finding, span: attribute.valueSpan, nodeId: node.id };
    }
  },
};

function problemOf(
  graph: Graph,
  node: Node,
  { value }: Attribute,
  suggest: (name: string) => string | undefined,
): Omit<Finding, 'span'> | undefined {
  const join = String(value);
  const is = `the \`join\` of ${excerpt(node.id)} is ${excerpt(join)}`;
  if (!graph.nodes.has(join)) {
    const suggestion = suggest(join);
    const hint = suggestion === undefined ? '' : ` (did you mean ${excerpt(suggestion)}?)`;
    return {
      message: `${is}, which is not a node${hint}`,
      fix: { title: suggestion === undefined ? 'name a node' : `write \`${suggestion}\``, edits: [] },
    };
  }
  if (join === node.id || startNodes(graph).some(({ id }) => id === join)) {
    const role = join === node.id ? 'the parallel node itself' : 'the start';
    return { message: `${is}, ${role}: no branch can end there`, fix: nameAnother };
  }
  const branches = outgoingEdges(graph, node.id);
  const unreachingBranches = branches.filter(({ to }) => !leadsTo(graph, to, join)).map(({ to }) => to);
  if (branches.length === 0 || unreachingBranches.length === 0) return undefined;
  if (unreachingBranches.length === branches.length)
    return { message: `${is}, which none of its branches reaches`, fix: nameAnother };
  const begin = unreachingBranches.length === 1 ? 'the branch that begins' : 'the branches that begin';
  return {
    severity: 'warning',
    message: `${is}, but ${begin} at ${listNames([...new Set(unreachingBranches)])} cannot reach it`,
    fix: { title: `connect every branch to \`${join}\``, edits: [] },
  };
}

const nameAnother = { title: 'name the first stage after the branches', edits: [] };

/** True if edges lead from a node to another one before the exit. */
function leadsTo(graph: Graph, from: string, join: string): boolean {
  const exits = new Set(exitNodes(graph).map(({ id }) => id));
  const reached = new Set([from]);
  for (const id of reached) {
    if (id === join) return true;
    if (exits.has(id)) continue;
    for (const { to } of outgoingEdges(graph, id)) reached.add(to);
  }
  return false;
}
