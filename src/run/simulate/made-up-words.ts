import { type ChosenRoute, chooseRoute } from '../../graph/choose-route.js';
import type { ConditionScope } from '../../graph/evaluate-condition.js';
import { perObject } from '../../graph/per-object.js';
import type { Program, ProgramNode } from '../../graph/program.js';
import type { Handler, Stage } from '../../handlers/handler.js';
import type { RunEvent } from '../../machine/event.js';
import type { Outcome } from '../../machine/outcome.js';
import { valuesSetBy } from '../../machine/outcome.js';
import { type WishedOutcome, wishedOutcomes } from './wished-outcomes.js';

/**
 * Handler of a simulated stage that says something where the pipeline routes by it: if no edge takes a plain success, it makes
 * up the word that a condition names, and that leads on. The log of the run says so.
 * @param customOutcomes true if the run allows custom outcomes
 * @param madeUp what the stages of the run have said themselves so far, to which this one adds
 */
export function withMadeUpWords(
  handler: Handler,
  node: ProgramNode,
  program: Program,
  customOutcomes: boolean,
  madeUp: MadeUpKeys,
): Handler {
  const { llm, instant, forks, joins, runsChild, type } = node.handler;
  const isWork = llm || !(instant || forks || joins || runsChild || type === 'wait.human');
  if (!isWork || !mayBeStuck(program).has(node.id)) return handler;
  return {
    ...handler,
    async execute(stage) {
      const outcome = await handler.execute(stage);
      if (outcome?.status !== 'success') return outcome;
      const stale = keysOf(madeUp, node.id);
      const wished = wishFor(stage, node, program, outcome, customOutcomes, stale);
      if (wished === undefined) return outcome;
      for (const key of Object.keys(wished.context_updates)) stale.add(key);
      stage.log('warning', `${said(node, wished)} was made up, because the pipeline routes by it`);
      return spoken(outcome, wished);
    },
  };
}

/** Keys that the simulated stages of a run have said themselves, by node: another stage did not say them when such a stage is entered again. */
export type MadeUpKeys = Map<string, Set<string>>;

/** Adds those of an event of the journal. */
export function noteMadeUp(madeUp: MadeUpKeys, event: RunEvent): void {
  if (event.type !== 'StageCompleted' || event.simulated !== true) return;
  for (const key of Object.keys(event.outcome.context_updates ?? {})) keysOf(madeUp, event.node_id).add(key);
}

function keysOf(madeUp: MadeUpKeys, nodeId: string): Set<string> {
  const keys = madeUp.get(nodeId) ?? new Set<string>();
  madeUp.set(nodeId, keys);
  return keys;
}

/** Outcome with what was made up. */
function spoken(
  outcome: Outcome,
  { status, custom_outcome, preferred_label, context_updates }: WishedOutcome,
): Outcome {
  const updates = { ...outcome.context_updates, ...context_updates };
  const made: Outcome = { ...outcome, status, context_updates: updates };
  return {
    ...made,
    ...Object.fromEntries(
      Object.entries({ custom_outcome, preferred_label }).filter(([, value]) => value !== undefined),
    ),
  };
}

/** What was made up, as the beginning of a sentence. */
function said({ id, handler }: ProgramNode, wished: WishedOutcome): string {
  const { context_updates: updates, preferred_label: label, custom_outcome: custom } = wished;
  const output = updates['tool.output'];
  if (handler.type === 'tool' && output !== undefined)
    return `the output ${JSON.stringify(output)} of "${id}"`;
  if (custom !== undefined) return `the outcome ${JSON.stringify(custom)} of "${id}"`;
  if (label !== undefined) return `the label ${JSON.stringify(label)} of "${id}"`;
  const values = Object.entries(updates).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
  return `${values.join(', ')} of "${id}"`;
}

/** Nodes at which a success may find no edge: all edges that it may come to have conditions. */
const mayBeStuck = perObject((program: Program): ReadonlySet<string> => {
  const ids = [...program.nodes.values()].filter((node) =>
    routers(program, node).some(
      ({ edges }) => edges.length > 0 && edges.every(({ condition }) => condition !== undefined),
    ),
  );
  return new Set(ids.map(({ id }) => id));
});

/** A node, and the diamonds after it that route on its outcome. */
export function routers(program: Program, node: ProgramNode): readonly ProgramNode[] {
  const found = new Set([node]);
  for (const { edges } of found)
    for (const { to } of edges) {
      const next = program.nodes.get(to);
      if (next?.handler.inheritsOutcome) found.add(next);
    }
  return [...found];
}

interface Followed {
  /** Undefined if the run fails because no edge is eligible. */
  readonly target: string | undefined;
}

/** First stage after a node, through the diamonds that pass its outcome on. */
function follow(program: Program, node: ProgramNode, outcome: Outcome, scope: ConditionScope): Followed {
  const seen = new Set<string>();
  let at = node;
  for (;;) {
    const route = routeFrom(program, at, outcome, scope);
    if (route.kind === 'fail') return { target: undefined };
    if (route.kind !== 'edge') return { target: at.id };
    const { to } = route.edge;
    const next = program.nodes.get(to);
    if (next?.handler.inheritsOutcome !== true || seen.has(to)) return { target: to };
    seen.add(to);
    at = next;
  }
}

function routeFrom(
  program: Program,
  node: ProgramNode,
  outcome: Outcome,
  scope: ConditionScope,
): ChosenRoute {
  return chooseRoute({
    node,
    ownStatus: node.handler.inheritsOutcome ? 'success' : outcome.status,
    routed: outcome,
    scope,
    handlerOf: (id) => program.nodes.get(id)?.handler,
    jumpTo: () => undefined,
  });
}

function scopeOf(
  stage: Stage,
  node: ProgramNode,
  outcome: Outcome,
  stale: ReadonlySet<string>,
): ConditionScope {
  const set = new Map(Object.entries(valuesSetBy(outcome) ?? {}));
  return {
    outcome: outcome.custom_outcome ?? outcome.status,
    preferredLabel: outcome.preferred_label ?? '',
    result: outcome,
    resultNode: node.id,
    stages: stage.stages,
    lookup: (key) => (set.has(key) ? set.get(key) : stale.has(key) ? undefined : stage.context.get(key)),
  };
}

/** What the stage should say so that the run can continue; undefined if it can anyway, or never. */
function wishFor(
  stage: Stage,
  node: ProgramNode,
  program: Program,
  plain: Outcome,
  customOutcomes: boolean,
  stale: ReadonlySet<string>,
): WishedOutcome | undefined {
  const targetOf = (outcome: Outcome): string | undefined =>
    follow(program, node, outcome, scopeOf(stage, node, outcome, stale)).target;
  if (targetOf(plain) !== undefined) return undefined;
  const byTarget = new Map<string, { readonly wished: WishedOutcome; readonly rank: number }>();
  for (const { edges } of routers(program, node)) {
    for (const { condition } of edges) {
      if (condition === undefined) continue;
      for (const wished of wishedOutcomes(condition, true, node)) {
        if (wished.status !== 'success' || (wished.custom_outcome !== undefined && !customOutcomes)) continue;
        const target = targetOf(spoken(plain, wished));
        if (target === undefined) continue;
        const rank = rankOf(program, node, target, wished);
        const best = byTarget.get(target);
        if (best === undefined || rank < best.rank) byTarget.set(target, { wished, rank });
      }
    }
  }
  const ways = [...byTarget.values()].sort((one, other) => one.rank - other.rank);
  // The best one first; in a loop another one each time, so that it ends.
  return ways[(stage.visit - 1) % Math.max(1, ways.length)]?.wished;
}

const unhappy =
  /fail|error|reject|abort|block|invalid|missing|broken|red\b|(?:\b|_)(?:no|not|none|never)(?:\b|_)|retry|stop|cancel/i;

/** The lower, the better: ways that end, then words that say nothing bad, then ways that do not go back. */
function rankOf(program: Program, { id }: ProgramNode, target: string, wished: WishedOutcome): number {
  const { toExit, fromStart } = distances(program);
  const values = [
    ...Object.values(wished.context_updates),
    wished.preferred_label ?? '',
    wished.custom_outcome ?? '',
  ];
  const isUnhappy = unhappy.test(
    values.map((value) => (typeof value === 'boolean' ? '' : JSON.stringify(value))).join(' '),
  );
  const goesBack = (fromStart.get(target) ?? 0) <= (fromStart.get(id) ?? 0);
  return (toExit.has(target) ? 0 : 4) + (goesBack ? 2 : 0) + (isUnhappy ? 1 : 0);
}

/** Number of edges between the start and each node, and the nodes from which control can come to the exit. */
const distances = perObject(
  (
    program: Program,
  ): { readonly fromStart: ReadonlyMap<string, number>; readonly toExit: ReadonlySet<string> } => {
    const fromStart = new Map([[program.startId, 0]]);
    for (const [id, distance] of fromStart)
      for (const { to } of program.nodes.get(id)?.edges ?? [])
        if (!fromStart.has(to)) fromStart.set(to, distance + 1);
    const toExit = new Set([program.exitId]);
    for (const reached of toExit)
      for (const { id, edges } of program.nodes.values())
        if (edges.some(({ to }) => to === reached)) toExit.add(id);
    return { fromStart, toExit };
  },
);
