import type { Condition } from '../parser/condition/ast.js';
import { evaluateCondition, keysOf } from './evaluate-condition.js';
import type { ProgramEdge } from './program.js';
import { precedence, selectUnconditional } from './select-edge.js';

/**
 * True if a success continues elsewhere with one of the labels than without a label, or may do so: it then needs one
 * (SEMANTICS 128). Conditions that no label changes, such as `outcome=fail`, need none.
 * @param edges of one node
 */
export function labelDecides(edges: readonly ProgramEdge[], labels: readonly string[]): boolean {
  if (edges.length < 2) return false;
  const without = routeOf(edges, '');
  return labels.some((label) => routeOf(edges, label) !== without);
}

/** True if an edge may be taken after a success, whatever its label. */
export function mayFollowSuccess({ condition }: ProgramEdge, labels: readonly string[]): boolean {
  return condition === undefined || ['', ...labels].some((label) => judge(condition, label) !== false);
}

/** Route of a success with this label, in a form to compare: the edges that could be taken, with the edges that depend on more. */
function routeOf(edges: readonly ProgramEdge[], label: string): string {
  const free: ProgramEdge[] = [];
  const open: ProgramEdge[] = [];
  let taken: ProgramEdge | undefined;
  for (const edge of edges) {
    const holds = edge.condition === undefined ? undefined : judge(edge.condition, label);
    if (edge.condition === undefined) free.push(edge);
    else if (holds === undefined) open.push(edge);
    else if (holds && (taken === undefined || precedence(edge, taken) < 0)) taken = edge;
  }
  const before = open.filter((edge) => taken === undefined || precedence(edge, taken) < 0);
  const last = taken ?? selectUnconditional(free, { preferred_label: label })?.edge;
  return JSON.stringify([...before, last].map((edge) => edge && [edge.to, edge.loopRestart]));
}

/** Keys whose values follow from a success and its label. */
const knownKeys: ReadonlySet<string> = new Set([
  'outcome',
  'preferred_label',
  'result.outcome',
  'result.status',
  'result.success',
  'result.preferred_label',
]);

/** Judges a condition after a success with a label; undefined if it depends on more. */
function judge(condition: Condition, label: string): boolean | undefined {
  switch (condition.kind) {
    case 'or':
      return judgeAll(condition.operands, label, true);
    case 'and':
      return judgeAll(condition.operands, label, false);
    case 'not': {
      const inner = judge(condition.operand, label);
      return inner === undefined ? undefined : !inner;
    }
    default: {
      if (!keysOf(condition).every(({ path }) => knownKeys.has(path))) return undefined;
      const result = { status: 'success', preferred_label: label } as const;
      return evaluateCondition(condition, {
        outcome: 'success',
        preferredLabel: label,
        result,
        lookup: () => undefined,
      });
    }
  }
}

/** @param decisive result of an operand that decides, whatever the others are */
function judgeAll(operands: readonly Condition[], label: string, decisive: boolean): boolean | undefined {
  const results = operands.map((operand) => judge(operand, label));
  if (results.includes(decisive)) return decisive;
  return results.includes(undefined) ? undefined : !decisive;
}
