import { excerpt } from '../../../diagnostic/excerpt.js';
import { graphAttribute, nodeAttribute } from '../../../graph/attributes.js';
import { parallelsAround } from '../../../graph/flow/branch-regions.js';
import type { Graph, Node } from '../../../graph/graph.js';
import { outgoingEdges } from '../../../graph/queries.js';
import type { ControlFlow, Place } from '../../analysis/control-flow.js';
import { expectedFlow } from '../../analysis/expected-flow.js';
import { type Bypass, bypassFinder } from '../../analysis/gate-bypass.js';
import { attributeOwners } from '../../attribute-owners.js';
import { listNames } from '../../list-names.js';
import type { Finding, LintRule } from '../../rule.js';
import { shownWay } from '../../shown-way.js';

/** SEMANTICS 32: a goal gate that was never visited does not block the exit. */
export const goalGateBypass: LintRule = {
  name: 'goal_gate_bypass',
  severity: 'warning',
  summary: 'Every path to the exit leads through every goal gate.',
  rationale:
    'A goal gate keeps a run from ending before its stage has succeeded, but only if the stage was visited: a run that reaches the exit by another path succeeds without it. Route all paths through the gate, or set `require_goal_gates=true` on the graph, so that an unvisited gate also blocks the exit. If the path around the gate is intended, the stage is not a goal of every run: route its failure with an edge or a `retry_target` instead.',
  provesAbsence: true,
  *apply(graph, { handlerTypes }) {
    if (graphAttribute(graph, 'require_goal_gates')) return;
    const gates = attributeOwners(graph)
      .nodesWith('goal_gate')
      .filter((node) => nodeAttribute(node, 'goal_gate'));
    if (gates.length === 0) return;
    const flow = expectedFlow(graph, handlerTypes);
    const bypass = bypassFinder(flow);
    for (const { gates: avoided, way } of waysPast(flow, gates, bypass)) yield finding(graph, avoided, way);
  },
};

/** Path to the exit, with the gates that it avoids and no earlier path did. */
interface WayPast {
  readonly gates: Node[];
  /** Undefined for a path through a branch: it avoids one gate only. */
  readonly passes: ReadonlySet<string> | undefined;
  readonly way: Bypass;
}

/** Maximum of paths: more would not help, and each may be as long as the graph. */
const mostWays = 50;

function waysPast(
  flow: ControlFlow,
  gates: readonly Node[],
  bypass: (nodeId: string) => Bypass | undefined,
): readonly WayPast[] {
  const found: WayPast[] = [];
  for (const gate of gates) {
    const [place, ...others] = flow.placesOf(gate.id);
    if (place === undefined || others.length > 0 || isEndOfRun(place)) continue;
    const id = onMainLine(place);
    const known = found.find(({ passes }) => passes?.has(id) === false);
    const way = known === undefined && found.length < mostWays ? bypass(gate.id) : undefined;
    if (known !== undefined) known.gates.push(gate);
    else if (way !== undefined) {
      const passes = way.join === undefined ? new Set(way.places.map(({ node }) => node.id)) : undefined;
      found.push({ gates: [gate], passes, way });
    }
  }
  return found;
}

function isEndOfRun({ handler }: Place): boolean {
  return handler.type === 'exit' || handler.type === 'start';
}

/**
 * Node of the main line that a path through a place visits: the node itself, or the outermost parallel node
 * around it.
 */
function onMainLine({ node, region }: Place): string {
  return parallelsAround(region).at(-1) ?? node.id;
}

function finding(graph: Graph, [gate, ...others]: readonly Node[], way: Bypass): Finding {
  const ids = [...way.places.map(({ node }) => node.id), ...(way.join === undefined ? [] : [way.join])];
  const [from, to] = [ids[way.parting], ids[way.parting + 1]];
  const edge = outgoingEdges(graph, from ?? '').find((one) => one.to === to);
  const place = edge?.span ?? jumpAttribute(way.places[way.parting], to)?.valueSpan;
  const id = gate?.id ?? '';
  const bypassed =
    others.length === 0
      ? `goal gate ${excerpt(id)}, which then does not`
      : `goal gate ${excerpt(id)} and also ${listNames(others.map((other) => other.id))}, which then do not`;
  return {
    message: `a path bypasses ${bypassed} block the exit: ${shownWay(ids, way.parting)}`,
    span: gate?.span ?? graph.nameSpan,
    nodeId: id,
    related: place && [{ span: place, message: `the path turns away here from ${excerpt(id)}` }],
    fix: {
      title: 'route this path through the gate, or set `require_goal_gates=true` on the graph',
      edits: [],
    },
  };
}

function jumpAttribute(place: Place | undefined, to: string | undefined) {
  const { attributes } = place?.node ?? {};
  const targets = [attributes?.get('retry_target'), attributes?.get('fallback_retry_target')];
  return targets.find((attribute) => attribute?.value === to);
}
