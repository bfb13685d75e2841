import { failureSteps } from '../../graph/failure-steps.js';
import type { HandlerType } from '../../graph/handler-types.js';
import { holdsUnder } from '../../graph/holds-under.js';
import type { ProgramEdge, ProgramNode } from '../../graph/program.js';
import { precedence, selectUnconditional } from '../../graph/select-edge.js';

/** One place where control may go from a node, and when; of several the first that is true counts. */
export interface Way {
  readonly to: string;
  readonly when: string;
  readonly label: string;
}

/** The ways that are open after certain outcomes, in the order in which the engine looks at them. */
export interface OutcomeWays {
  readonly outcomes: readonly string[];
  readonly ways: readonly Way[];
  /** What happens where none of them is taken; undefined where one always is. */
  readonly otherwise: string | undefined;
}

const outcomes = ['success', 'partial_success', 'skipped', 'fail'] as const;
/** Handlers that come to nothing else. */
const alwaysSuccess: readonly string[] = ['start', 'exit'];

/**
 * Where control goes from a node on each outcome (§3.3, §3.7, SEMANTICS 18–22, 80): by the failure ladder, the precedence
 * and the selection that the engine uses. Conditions that ask for more than the outcome are left as they are.
 */
export function nodeRoutes(
  node: ProgramNode,
  handlerOf: (nodeId: string) => HandlerType | undefined,
): readonly OutcomeWays[] {
  const groups = new Map<string, { outcomes: string[]; found: Found }>();
  for (const outcome of outcomes) {
    if (outcome !== 'success' && alwaysSuccess.includes(node.handler.type)) continue;
    const found = outcome === 'fail' ? afterFailure(node, handlerOf) : afterSuccess(node, outcome);
    const key = JSON.stringify(found);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { outcomes: [outcome], found });
    else group.outcomes.push(outcome);
  }
  return [...groups.values()].map((group) => ({ outcomes: group.outcomes, ...group.found }));
}

type Found = Pick<OutcomeWays, 'ways' | 'otherwise'>;

function afterSuccess(node: ProgramNode, outcome: string): Found {
  if (node.parallel !== undefined) {
    const way = { to: node.parallel.joinId, when: 'when its branches are done', label: '' };
    return { ways: [way], otherwise: undefined };
  }
  const found = ordinary(node, outcome);
  if (node.edges.length > 0) return found;
  return { ways: [], otherwise: 'the run ends here, if the goal gates that it has visited hold' };
}

function ordinary(node: ProgramNode, outcome: string): Found {
  const byCondition = conditionalWays(node, outcome);
  if (byCondition.isCertain) return { ways: byCondition.ways, otherwise: undefined };
  const plain = plainWays(
    node,
    node.edges.filter(({ conditionText }) => conditionText === ''),
  );
  const otherwise = plain.length > 0 ? undefined : 'the run fails: no edge is left that could be taken';
  return { ways: [...byCondition.ways, ...plain], otherwise };
}

/** The first step of the ladder that leads on is taken. */
function afterFailure(node: ProgramNode, handlerOf: (nodeId: string) => HandlerType | undefined): Found {
  const ways: Way[] = [];
  for (const step of failureSteps(node, handlerOf, node.handler.inheritsOutcome)) {
    switch (step.kind) {
      case 'condition': {
        const found = conditionalWays(node, 'fail');
        ways.push(...found.ways);
        if (found.isCertain) return { ways, otherwise: undefined };
        break;
      }
      case 'jump':
        for (const { nodeId, attribute } of step.targets) {
          const when = `by ${attribute}, unless going back would only meet the same failure again`;
          ways.push({ to: nodeId, when, label: '' });
        }
        break;
      case 'into_conditional':
        if (step.edges.length > 0)
          return { ways: [...ways, ...plainWays(node, step.edges)], otherwise: undefined };
        break;
      case 'ordinary': {
        const found = ordinary(node, 'fail');
        return { ways: [...ways, ...found.ways], otherwise: found.otherwise };
      }
      case 'join':
        ways.push({ to: step.to, when: 'because of on_failure=continue', label: '' });
        return { ways, otherwise: undefined };
    }
  }
  return { ways, otherwise: 'the run fails, with the reason of the stage' };
}

/** The edges whose condition may hold, up to the first of which it always does. */
function conditionalWays(
  { edges }: ProgramNode,
  outcome: string,
): { readonly ways: readonly Way[]; readonly isCertain: boolean } {
  const ways: Way[] = [];
  for (const { condition, conditionText, to, label } of [...edges].sort(precedence)) {
    if (condition === undefined) continue;
    const verdict = holdsUnder(condition, outcome);
    if (verdict === 'never') continue;
    ways.push({ to, label, when: `${verdict === 'always' ? 'because' : 'if'} ${conditionText}` });
    if (verdict === 'always') return { ways, isCertain: true };
  }
  return { ways, isCertain: false };
}

/** One edge is simply taken; among several the stage may choose, by a label or by ids that it suggests. */
function plainWays({ handler }: ProgramNode, edges: readonly ProgramEdge[]): readonly Way[] {
  const first = selectUnconditional(edges, {})?.edge;
  if (first === undefined) return [];
  const { to, label } = first;
  if (handler.type === 'wait.human') {
    return edges.map((edge) => ({ to: edge.to, label: edge.label, when: 'if this is chosen' }));
  }
  if (edges.length === 1) return [{ to, label, when: 'in any other case' }];
  const chosen = edges.map((edge): Way => {
    const byLabel = edge.label === '' ? '' : `if its label is preferred, or `;
    return { to: edge.to, label: edge.label, when: `${byLabel}if ${edge.to} is suggested` };
  });
  const why = edges.some(({ weight }) => weight !== first.weight)
    ? `it has the highest weight, ${first.weight}`
    : 'of edges of one weight, the smallest id counts';
  return [...chosen, { to, label, when: `in any other case: ${why}` }];
}
