import { counted } from '../../diagnostic/counted.js';
import { evaluateCondition } from '../../graph/evaluate-condition.js';
import type { KnownHandlerTypes } from '../../graph/known-handler-types.js';
import type { Program, ProgramNode } from '../../graph/program.js';
import { type FlowSearch, flowSearch } from '../../lint/flow/flow-search.js';
import type { CoveragePoint } from '../coverage-points.js';

/** Answer of the flow analysis about a point that no trial covers. */
export type Reason =
  /** Proved: no run does it. */
  | { readonly kind: 'impossible'; readonly text: string }
  /** A script of a run that does it. */
  | { readonly kind: 'script'; readonly script: unknown }
  | { readonly kind: 'unknown'; readonly text: string };

/** Asks the flow analysis of lint about a point. */
export function whyNotCovered(
  point: CoveragePoint,
  program: Program,
  handlerTypes: KnownHandlerTypes,
  trials: number,
): Reason {
  const unknown = notFound(trials);
  const search = flowSearch(program.graph, handlerTypes);
  if (search === undefined) return unknown;
  const { kind, nodeId, edge, id } = point;
  const taken = (): ReturnType<typeof search.leaving> =>
    search.leaving(nodeId, ({ route }) => route.kind === 'edge' && route.edge.index === edge);
  const node = program.nodes.get(nodeId);
  if (kind === 'edge' && node?.parallel !== undefined) return whyNotBegun(node, edge, search, unknown);
  switch (kind) {
    case 'node':
      return reasonOf(search.entering(nodeId), `no run comes to "${nodeId}"`, unknown);
    case 'edge':
    case 'choice':
      return reasonOf(taken(), 'no run takes this edge', unknown);
    case 'condition': {
      const condition = node?.edges.find(({ index }) => index === edge)?.condition;
      if (condition === undefined) return unknown;
      const value = id.endsWith('true');
      const answer = search.leaving(nodeId, ({ scope }) => evaluateCondition(condition, scope) === value);
      return reasonOf(answer, `the condition is never ${value} where it is judged`, unknown);
    }
    case 'failure':
      return unknown;
  }
}

/** Asks about an edge of a parallel node, at which a branch begins. */
function whyNotBegun(
  { id, edges, parallel }: ProgramNode,
  edge: number | undefined,
  search: FlowSearch,
  unknown: Reason,
): Reason {
  const position = edges.findIndex(({ index }) => index === edge);
  const isOfItems = parallel?.foreach !== undefined;
  const answer = search.entering(
    edges[position]?.to ?? id,
    ({ branch }) => branch?.parallelId === id && (isOfItems || branch.index === position),
  );
  // A branch that ends where it begins enters nothing.
  const isProved = answer.kind !== 'never' || search.entering(id).kind === 'never';
  return isProved ? reasonOf(answer, 'no run takes this edge', unknown) : unknown;
}

function reasonOf(
  answer: { readonly kind: 'found'; readonly witness: unknown } | { readonly kind: 'never' | 'unknown' },
  text: string,
  unknown: Reason,
): Reason {
  if (answer.kind === 'found') return { kind: 'script', script: answer.witness };
  return answer.kind === 'never' ? { kind: 'impossible', text } : unknown;
}

/** Reason of a point that no trial covers, if nothing else is known. */
export function notFound(trials: number): Reason {
  return { kind: 'unknown', text: `not found in ${counted(trials, 'simulation')}` };
}
