import { excerpt } from '../../../diagnostic/excerpt.js';
import { graphAttribute, nodeAttribute } from '../../../graph/attributes.js';
import { parallelsAround } from '../../../graph/flow/branch-regions.js';
import type { Graph, Node } from '../../../graph/graph.js';
import { outgoingEdges } from '../../../graph/queries.js';
import type { ControlFlow, ProgramPoint } from '../../analysis/control-flow.js';
import { expectedFlow } from '../../analysis/expected-flow.js';
import { type Bypass, bypassFinder } from '../../analysis/gate-bypass.js';
import { attributeOwners } from '../../attribute-owners.js';
import { describePath } from '../../describe-path.js';
import { type FlowSearch, flowSearch } from '../../flow/flow-search.js';
import { type Proof, proofOf } from '../../flow/proof.js';
import { nodesOf } from '../../flow/witness.js';
import { listNames } from '../../list-names.js';
import type { Finding, LintRule } from '../../rule.js';

/** SEMANTICS 32: a goal gate that was never visited does not block the exit. */
export const goalGateBypass: LintRule = {
  name: 'goal_gate_bypass',
  severity: 'warning',
  summary: 'Every path to the exit leads through every goal gate.',
  rationale:
    'A goal gate keeps a run from ending before its stage has succeeded, but only if the stage was visited: a run that reaches the exit by another path succeeds without it. Route all paths through the gate, or set `require_goal_gates=true` on the graph, so that an unvisited gate also blocks the exit. If the path around the gate is intended, the stage is not a goal of every run: route its failure with an edge or a `retry_target` instead.',
  provesAbsence: true,
  followsFlow: true,
  *apply(graph, { handlerTypes }) {
    if (graphAttribute(graph, 'require_goal_gates')) return;
    const gates = attributeOwners(graph)
      .nodesWith('goal_gate')
      .filter((node) => nodeAttribute(node, 'goal_gate'));
    if (gates.length === 0) return;
    const flow = expectedFlow(graph, handlerTypes);
    const bypass = bypassFinder(flow);
    const search = flowSearch(graph, handlerTypes);
    const detourAround = (nodeId: string): Detour | undefined => {
      const detour = bypass(nodeId);
      return detour && provedDetour(flow, search, nodeId, detour);
    };
    for (const { gates: bypassedGates, detour } of bypassingPaths(flow, gates, detourAround))
      yield finding(graph, bypassedGates, detour);
  },
};

/** Path to the exit, with the gates that it avoids and no earlier path did. */
interface BypassingPath {
  readonly gates: Node[];
  /** Undefined for a path through a branch: it avoids one gate only. */
  readonly passes: ReadonlySet<string> | undefined;
  readonly detour: Detour;
}

interface Detour extends Bypass {
  readonly proof: Proof;
}

/** The way of a run around a gate; undefined if no run goes around it. */
function provedDetour(
  flow: ControlFlow,
  search: FlowSearch | undefined,
  gateId: string,
  detour: Bypass,
): Detour | undefined {
  const answer = search?.completingWithout(gateId);
  const proof = proofOf(answer);
  if (proof === undefined) return undefined;
  // The way past a gate in a branch is a part of that branch.
  if (answer?.kind !== 'found' || detour.join !== undefined) return { ...detour, proof };
  const points = nodesOf(answer.walk).flatMap((id) => flow.placesOf(id).slice(0, 1));
  const leading = leadingTo(flow, gateId);
  return { points, parting: points.findLastIndex(({ index }) => leading.has(index)), join: undefined, proof };
}

/** Points from which there is a path to a node. */
function leadingTo(flow: ControlFlow, nodeId: string): ReadonlySet<number> {
  const before = new Map<number, number[]>();
  for (const { index } of flow.points) {
    for (const { to, by } of flow.stepsFrom(index)) {
      if (by === 'goal_gate') continue;
      before.set(to, [...(before.get(to) ?? []), index]);
    }
  }
  const found = new Set(flow.placesOf(nodeId).map(({ index }) => index));
  for (const index of found) for (const from of before.get(index) ?? []) found.add(from);
  return found;
}

/** Maximum of paths: more would not help, and each may be as long as the graph. */
const mostPaths = 50;

function bypassingPaths(
  flow: ControlFlow,
  gates: readonly Node[],
  bypass: (nodeId: string) => Detour | undefined,
): readonly BypassingPath[] {
  const paths: BypassingPath[] = [];
  for (const gate of gates) {
    const [point, ...others] = flow.placesOf(gate.id);
    if (point === undefined || others.length > 0 || isEndOfRun(point)) continue;
    const id = onMainLine(point);
    const sharing = paths.find(({ passes }) => passes?.has(id) === false);
    const detour = sharing === undefined && paths.length < mostPaths ? bypass(gate.id) : undefined;
    if (sharing !== undefined) sharing.gates.push(gate);
    else if (detour !== undefined) {
      const passes =
        detour.join === undefined ? new Set(detour.points.map(({ node }) => node.id)) : undefined;
      paths.push({ gates: [gate], passes, detour });
    }
  }
  return paths;
}

function isEndOfRun({ handler }: ProgramPoint): boolean {
  return handler.type === 'exit' || handler.type === 'start';
}

/**
 * Node of the main line that a path through a point visits: the node itself, or the outermost parallel node
 * around it.
 */
function onMainLine({ node, region }: ProgramPoint): string {
  return parallelsAround(region).at(-1) ?? node.id;
}

function finding(graph: Graph, [gate, ...others]: readonly Node[], bypass: Detour): Finding {
  const ids = [
    ...bypass.points.map(({ node }) => node.id),
    ...(bypass.join === undefined ? [] : [bypass.join]),
  ];
  const [from, to] = [ids[bypass.parting], ids[bypass.parting + 1]];
  const edge = outgoingEdges(graph, from ?? '').find((one) => one.to === to);
  const place = edge?.span ?? jumpAttribute(bypass.points[bypass.parting], to)?.valueSpan;
  const id = gate?.id ?? '';
  const bypassed =
    others.length === 0
      ? `goal gate ${excerpt(id)}, which then does not`
      : `goal gate ${excerpt(id)} and also ${listNames(others.map((other) => other.id))}, which then do not`;
  return {
    message: `a path bypasses ${bypassed} block the exit: ${describePath(ids, bypass.parting)}`,
    span: gate?.span ?? graph.nameSpan,
    nodeId: id,
    ...bypass.proof,
    related: place && [{ span: place, message: `the path turns away here from ${excerpt(id)}` }],
    fix: {
      title: 'route this path through the gate, or set `require_goal_gates=true` on the graph',
      edits: [],
    },
  };
}

function jumpAttribute(point: ProgramPoint | undefined, to: string | undefined) {
  const { attributes } = point?.node ?? {};
  const targets = [attributes?.get('retry_target'), attributes?.get('fallback_retry_target')];
  return targets.find((attribute) => attribute?.value === to);
}
