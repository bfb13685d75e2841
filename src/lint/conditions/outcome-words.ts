import { edgeAttribute } from '../../graph/attributes.js';
import { attributeText, type Edge } from '../../graph/graph.js';
import type { Route, Routes } from './routes-of.js';

/** Target of a route, with its condition; of several the first that holds counts. */
export interface RouteLine {
  readonly to: string;
  readonly when: string;
  readonly label: string;
}

/** The ways that are open after certain outcomes, in the order in which the engine looks at them. */
export interface OutcomeWords {
  readonly outcomes: readonly string[];
  readonly lines: readonly RouteLine[];
  /** Route if none of them is taken; undefined if one always is. */
  readonly otherwise: string | undefined;
}

/** Routes of a node in words; outcomes with the same routes are combined. */
export function outcomeWords({ handler, outcomes }: Routes): readonly OutcomeWords[] {
  const groups = new Map<string, OutcomeWords & { readonly outcomes: string[] }>();
  for (const { outcome, routes: ways } of outcomes) {
    const lines = linesOf(ways, handler.type === 'wait.human', outcome === 'fail');
    const otherwise = ways.map(otherwiseOf).find((words) => words !== undefined);
    const key = JSON.stringify([lines, otherwise]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { outcomes: [outcome], lines, otherwise });
    else group.outcomes.push(outcome);
  }
  return [...groups.values()];
}

function linesOf(ways: readonly Route[], isHuman: boolean, isFailure: boolean): readonly RouteLine[] {
  const lines: RouteLine[] = [];
  const plain: PlainWay[] = [];
  for (const way of ways) {
    switch (way.kind) {
      case 'condition': {
        const text = attributeText(edgeAttribute(way.edge, 'condition')).trim();
        lines.push(alongEdge(way.edge, `${way.always ? 'because' : 'if'} ${text}`));
        break;
      }
      case 'plain':
      case 'failure_to_conditional':
        plain.push(way);
        break;
      case 'jump': {
        const { nodeId, attribute } = way.target;
        const when = `by ${attribute}, unless going back would only repeat the same failure`;
        lines.push({ to: nodeId, when, label: '' });
        break;
      }
      case 'join': {
        const when = isFailure ? 'by on_failure=continue' : 'when its branches are done';
        lines.push({ to: way.to, when, label: '' });
        break;
      }
      case 'end':
      case 'fail':
        break;
    }
  }
  // After a plain edge nothing else is tried.
  return [...lines, ...(isHuman ? chosenByPerson(plain) : chosenByStage(plain))];
}

function otherwiseOf(way: Route): string | undefined {
  if (way.kind === 'end') return 'the run ends here if all visited goal gates are satisfied';
  if (way.kind !== 'fail') return undefined;
  return way.failure === 'stage'
    ? 'the run fails, with the reason of the stage'
    : 'the run fails: no edge can be taken';
}

type PlainWay = Extract<Route, { readonly by: unknown }>;

function chosenByPerson(ways: readonly PlainWay[]): readonly RouteLine[] {
  return edgesOf(ways).map((edge) => alongEdge(edge, 'if this is chosen'));
}

/** One edge is simply taken; among several the stage may choose, by a label or by ids that it suggests. */
function chosenByStage(ways: readonly PlainWay[]): readonly RouteLine[] {
  const last = ways.find(({ by }) => by === 'weight')?.edge;
  if (last === undefined) return [];
  const choices = ways.filter(({ by }) => by !== 'weight');
  if (choices.length === 0) return [alongEdge(last, 'in any other case')];
  const lines = edgesOf(choices).map((edge) => {
    const reasons = choices.filter((way) => way.edge === edge).map(({ by }) => by);
    const byLabel = reasons.includes('preferred_label') ? ['if its label is preferred'] : [];
    const byId = reasons.includes('suggested_next_ids') ? [`if ${edge.to} is suggested`] : [];
    return alongEdge(edge, [...byLabel, ...byId].join(', or '));
  });
  const weight = edgeAttribute(last, 'weight');
  const why = choices.some(({ edge }) => edgeAttribute(edge, 'weight') !== weight)
    ? `it has the highest weight, ${weight}`
    : 'of edges with equal weights, the one whose target comes first in the alphabet';
  return [...lines, alongEdge(last, `in any other case: ${why}`)];
}

/** Each edge once, in the order of the text. */
function edgesOf(ways: readonly PlainWay[]): readonly Edge[] {
  return [...new Set(ways.map(({ edge }) => edge))].sort((one, other) => one.index - other.index);
}

function alongEdge(edge: Edge, when: string): RouteLine {
  return { to: edge.to, when, label: edgeAttribute(edge, 'label') };
}
