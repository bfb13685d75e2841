import { nodeAttribute } from '../../graph/attributes.js';
import { joinPoints } from '../../graph/flow/join-points.js';
import { type JumpTarget, jumpTargets } from '../../graph/flow/jump-targets.js';
import type { Edge, Graph, Node } from '../../graph/graph.js';
import { handlerTypeNamed } from '../../graph/handler-types.js';
import type { KnownHandlerTypes } from '../../graph/known-handler-types.js';
import { perGraph } from '../../graph/per-graph.js';
import type { ProgramNode } from '../../graph/program.js';
import { handlerTypeOf, nodesHandledBy, outgoingEdges } from '../../graph/queries.js';
import type { StageStatus } from '../../graph/stage-status.js';
import { alwaysFailsItself, ownRulesOf } from '../../graph/values/own-rules.js';
import { attributeOwners } from '../attribute-owners.js';
import { allOf, type Formula, negated } from './formula.js';
import { isNever } from './is-never.js';
import { remembered } from './remembered.js';
import { type StageEdges, stageEdges } from './stage-edges.js';
import { otherOutcome } from './variable.js';

/** Final statuses, without RETRY: a stage that requests it is retried, and ends with another one (§3.5). */
const settledStatuses = ['success', 'partial_success', 'skipped', 'fail'] as const;

/**
 * Outcomes on which a node may route, according to its handler, including custom outcomes if a stage can
 * have them (SEMANTICS 44g).
 */
export function possibleOutcomes({ node, conditions }: StageEdges): ReadonlySet<string> {
  if (alwaysFailsItself(node.ownRules)) return new Set<string>(possibleStatuses(node));
  if (!answersFreely(node)) return new Set<string>(ownOutcomes(node));
  return conditions === undefined ? anyOutcome : freeOutcomes(conditions, anyOutcome);
}

const anyOutcome: ReadonlySet<string> = new Set([...settledStatuses, otherOutcome]);

const freeOutcomes = remembered(({ mentionedOutcomes }): ReadonlySet<string> => {
  const custom = mentionedOutcomes.filter((word) => word !== 'retry');
  return new Set([...settledStatuses, ...custom, otherOutcome]);
});

/** Outcomes without custom words. */
export function possibleStatuses(node: ProgramNode): readonly StageStatus[] {
  if (alwaysFailsItself(node.ownRules)) return node.handler.inheritsOutcome ? ['fail'] : ['skipped', 'fail'];
  return answersFreely(node) ? settledStatuses : ownOutcomes(node);
}

function answersFreely({ handler }: ProgramNode): boolean {
  return (
    handler.inheritsOutcome ||
    handler.runsPrograms ||
    handler.forks ||
    handlerTypeNamed(handler.type) === undefined
  );
}

/**
 * Outcomes that a stage of this kind can have without answering itself: success, failure, and the result of
 * `allow_partial`.
 */
function ownOutcomes({
  handler,
  allowPartial,
  ownRules,
}: Pick<ProgramNode, 'handler' | 'allowPartial' | 'ownRules'>): StageStatus[] {
  if (alwaysFailsItself(ownRules)) return ['fail'];
  if (handler.neverFails) return ownRules?.failWhen === undefined ? ['success'] : ['success', 'fail'];
  return allowPartial ? ['success', 'partial_success', 'fail'] : ['success', 'fail'];
}

/** Outcomes that a stage may have but seldom has: they count if its author expects them. */
const rareOutcomes: readonly StageStatus[] = ['partial_success', 'skipped'];

export type ExpectedOutcomes = (nodeId: string) => ReadonlySet<StageStatus>;

/**
 * Outcomes that the author of a pipeline must expect at a node: success and failure; PARTIAL_SUCCESS and
 * SKIPPED if its conditions mention them or it has `allow_partial`. A diamond has those with which it is
 * reached (SEMANTICS 21).
 */
export const expectedOutcomes = perGraph((graph, handlerTypes): ExpectedOutcomes => {
  const reckoning = reckoningOf(graph, handlerTypes);
  return (nodeId) => reckoning.outcomesOf(nodeId);
});

/** Finds the expected outcomes of its node that may lead along an edge. */
export const expectedAlong = perGraph((graph, handlerTypes) => {
  const reckoning = reckoningOf(graph, handlerTypes);
  return (edge: Edge): readonly StageStatus[] => reckoning.alongEdge(edge);
});

const reckoningOf = perGraph((graph, handlerTypes) => new Reckoning(graph, handlerTypes));

class Reckoning {
  readonly #graph: Graph;
  readonly #handlerTypes: KnownHandlerTypes;
  readonly #edges: ReadonlyMap<string, StageEdges>;
  readonly #diamonds: ReadonlySet<string>;
  /** Outcomes of all diamonds, and of other nodes on request. */
  readonly #outcomes = new Map<string, Set<StageStatus>>();

  constructor(graph: Graph, handlerTypes: KnownHandlerTypes) {
    this.#graph = graph;
    this.#handlerTypes = handlerTypes;
    this.#edges = stageEdges(graph, handlerTypes);
    const diamonds = nodesHandledBy(graph, handlerTypes, ({ inheritsOutcome }) => inheritsOutcome);
    this.#diamonds = new Set(diamonds.map(({ id }) => id));
    if (this.#diamonds.size > 0) this.#spread();
  }

  outcomesOf(nodeId: string): ReadonlySet<StageStatus> {
    const cached = this.#outcomes.get(nodeId);
    if (cached !== undefined && cached.size > 0) return cached;
    if (this.#diamonds.has(nodeId)) return new Set(['success', 'fail']);
    const own = new Set(this.#ownOutcomes(nodeId));
    this.#outcomes.set(nodeId, own);
    return own;
  }

  /** Propagates outcomes from every stage into the diamonds after it, and from one diamond to the next. */
  #spread(): void {
    const changed: string[] = [];
    const failing = new Set<string>();
    const add = (nodeId: string, statuses: Iterable<StageStatus>): void => {
      // It fails itself, whatever comes there.
      if (!this.#diamonds.has(nodeId) || failing.has(nodeId)) return;
      const own = this.#outcomes.get(nodeId) ?? new Set();
      const before = own.size;
      for (const status of statuses) own.add(status);
      this.#outcomes.set(nodeId, own);
      if (own.size > before) changed.push(nodeId);
    };
    for (const node of attributeOwners(this.#graph).nodesWith('fail_when')) {
      const handler = handlerTypeOf(this.#graph, node, this.#handlerTypes);
      const rules = ownRulesOf(node, handler);
      if (rules?.failWhen !== undefined) add(node.id, ['fail']);
      if (alwaysFailsItself(rules)) failing.add(node.id);
    }
    for (const id of this.#diamonds) add(id, this.#rareMentioned(id));
    for (const [parallelId, joinId] of joinPoints(this.#graph, this.#handlerTypes)) {
      add(joinId, this.#joinOutcomes(parallelId));
    }
    const { nodesWith } = attributeOwners(this.#graph);
    for (const node of [...nodesWith('retry_target'), ...nodesWith('fallback_retry_target')]) {
      for (const { nodeId } of jumpTargetsOf(node)) add(nodeId, ['fail']);
    }
    for (const edge of this.#graph.edges) {
      const isEntry = this.#diamonds.has(edge.to) && !this.#diamonds.has(edge.from);
      if (isEntry) add(edge.to, this.alongEdge(edge));
    }
    for (let id = changed.pop(); id !== undefined; id = changed.pop()) {
      for (const edge of outgoingEdges(this.#graph, id)) {
        if (this.#diamonds.has(edge.to)) add(edge.to, this.alongEdge(edge));
      }
    }
  }

  #ownOutcomes(nodeId: string): readonly StageStatus[] {
    const node = this.#graph.nodes.get(nodeId);
    if (node === undefined) return [];
    const handler = handlerTypeOf(this.#graph, node, this.#handlerTypes);
    const allowPartial = nodeAttribute(node, 'allow_partial');
    const own = ownOutcomes({ handler, allowPartial, ownRules: ownRulesOf(node, handler) });
    if (own.length === 1) return own;
    return [...own, ...this.#rareMentioned(nodeId)];
  }

  #rareMentioned(nodeId: string): readonly StageStatus[] {
    const stage = this.#edges.get(nodeId);
    const mentioned = stage?.conditions?.mentionedOutcomes ?? [];
    if (stage === undefined || mentioned.length === 0) return [];
    const possible = possibleOutcomes(stage);
    return rareOutcomes.filter((status) => mentioned.includes(status) && possible.has(status));
  }

  /** Outcomes of a join: branches of which some fail make a PARTIAL_SUCCESS of `wait_all` (SEMANTICS 49a). */
  #joinOutcomes(parallelId: string): readonly StageStatus[] {
    const node = this.#graph.nodes.get(parallelId);
    if (node === undefined) return [];
    const ignoresFailures = ['ignore', 'fail_fast'].includes(nodeAttribute(node, 'error_policy'));
    const needsSome = ['k_of_n', 'quorum', 'first_success'].includes(nodeAttribute(node, 'join_policy'));
    const isWhole = ignoresFailures || needsSome;
    return isWhole ? ['success'] : ['success', 'partial_success'];
  }

  /** Outcomes with which a node may go along an edge. */
  alongEdge({ from, index: edgeIndex }: Edge): readonly StageStatus[] {
    const node = this.#graph.nodes.get(from);
    if (node === undefined) return [];
    const handler = handlerTypeOf(this.#graph, node, this.#handlerTypes);
    // The first node of a branch has no outcome before it.
    if (handler.forks) return ['success'];
    const outcomes = [...this.outcomesOf(from)];
    const stage = this.#edges.get(from);
    if (stage?.conditions === undefined) {
      return outcomes.filter((status) => status !== 'fail' || handler.failureReachesConditional);
    }
    const set = stage.conditions;
    const index = stage.conditional.findIndex((edge) => edge.index === edgeIndex);
    const { holding, without } = outcomesTaking(set, this.outcomesOf(from));
    const taking = holding[index] ?? without;
    return outcomes.filter((status) => {
      if (index === -1 && status === 'fail' && !handler.failureReachesConditional) return false;
      return taking.has(status);
    });
  }
}

/** Outcomes with which each of the conditions can hold, and with which none of them does. */
const outcomesTaking = remembered((set, outcomes) => {
  const taking = (condition: Formula): ReadonlySet<string> =>
    new Set([...outcomes].filter((outcome) => !isNever(set, condition, new Set([outcome]))));
  const { formulas } = set;
  return { holding: formulas.map(taking), without: taking(allOf(formulas.map(negated))) };
});

function jumpTargetsOf(node: Node): readonly JumpTarget[] {
  return jumpTargets(nodeAttribute(node, 'retry_target'), nodeAttribute(node, 'fallback_retry_target'));
}
