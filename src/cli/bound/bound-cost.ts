import { mostAtOnce } from '../../check/bound/at-once.js';
import {
  type Bound,
  type ChildOf,
  type LimitBelow,
  levelsBelow,
  levelsOf,
  type Quantity,
  RunBounds,
  type UnlimitedNode,
} from '../../check/bound/bound-run.js';
import { type OpenLoop, openLoops } from '../../check/bound/open-loops.js';
import { stageVisits } from '../../check/bound/quantities.js';
import { amountAllowed, type BudgetLimit } from '../../graph/budget-limit.js';
import type { Program, ProgramNode } from '../../graph/program.js';
import type { ModelWork } from './model-work.js';

/** Upper bounds over all runs of a pipeline that are not resumed; null where nothing limits an amount. */
export interface CostBound {
  readonly stages: CountBound;
  /** Attempts of stages that ask a model. */
  readonly model_attempts: CountBound;
  /** Requests to models, repeated ones among them. */
  readonly requests: CountBound;
  readonly tokens: SpendingBound;
  readonly cost_usd: SpendingBound;
  /** Loops that only `max_steps` ends. */
  readonly open_loops: readonly OpenLoop[];
}

export interface CountBound {
  readonly at_most: number | null;
  readonly limits: readonly LimitBelow[];
  /** Stages that have no limit. */
  readonly unlimited: readonly UnlimitedNode[];
}

/** A budget is checked before each request: requests that are under way when it is used up are paid on top of it. */
export interface SpendingBound {
  readonly at_most: number | null;
  /** `run`: `budget_…` of the run; `default`: the one that a run has unless it says another; `stages`: those of all stages. */
  readonly by: 'run' | 'default' | 'stages' | 'no_model' | null;
  /** Requests that may be paid on top. */
  readonly requests_beyond: number;
  /** Coding agents and stages of plugins, which may have several requests under way, or report a whole turn at its end. */
  readonly turns_beyond: readonly string[];
  /** Stages whose model has no known price, which do not count. */
  readonly unpriced: readonly string[];
}

export interface BoundCostInput {
  readonly program: Program;
  readonly childOf: ChildOf;
  readonly workOf: (node: ProgramNode, program: Program) => ModelWork;
  /** Budget of a run that names none. */
  readonly defaultBudgetUsd: BudgetLimit;
  readonly mostItems: number | undefined;
}

/** @param mostStages stages of the longest run, where a search has proved them */
export function boundCost(input: BoundCostInput, mostStages?: number): CostBound {
  const { program, childOf, workOf, mostItems } = input;
  const longest = mostStages === undefined ? undefined : { program, stages: mostStages };
  const bounds = new RunBounds({ childOf, mostItems, longest });
  const asks = (node: ProgramNode, of: Program): boolean => workOf(node, of).requests !== 0;
  const requests = bounds.of(program, { per: 'attempt', each: (node, of) => workOf(node, of).requests });
  const attempts = bounds.of(program, { per: 'attempt', each: (node, of) => (asks(node, of) ? 1 : 0) });
  const spending = new Spending(input, bounds, attempts.kind === 'limited' && attempts.amount === 0);
  return {
    stages: countOf(bounds.of(program, stageVisits)),
    model_attempts: countOf(attempts),
    requests: countOf(requests),
    tokens: spending.of('tokens'),
    cost_usd: spending.of('usd'),
    // A run could go round such a loop until `max_steps`.
    open_loops:
      mostStages !== undefined && mostStages < program.limits.maxSteps
        ? []
        : openLoops(program, bounds.linesOf(program) ?? []),
  };
}

function countOf(bound: Bound): CountBound {
  if (bound.kind === 'unlimited') return { at_most: null, limits: [], unlimited: bound.nodes };
  return { at_most: bound.amount, limits: bound.limits, unlimited: [] };
}

type Unit = 'usd' | 'tokens';

class Spending {
  readonly #input: BoundCostInput;
  readonly #bounds: RunBounds;
  readonly #isFree: boolean;

  constructor(input: BoundCostInput, bounds: RunBounds, isFree: boolean) {
    this.#input = input;
    this.#bounds = bounds;
    this.#isFree = isFree;
  }

  of(unit: Unit): SpendingBound {
    const none = { requests_beyond: 0, turns_beyond: [], unpriced: [] };
    if (this.#isFree) return { ...none, at_most: 0, by: 'no_model' };
    const { program } = this.#input;
    const working = [...this.#working(program, '', new Set())];
    const turns_beyond = working.flatMap(({ id, work }) => (work.isAgent ? [id] : []));
    const unpriced = unit === 'usd' ? working.flatMap(({ id, work }) => (work.isUnpriced ? [id] : [])) : [];
    const common = { turns_beyond, unpriced };
    const ofRun = this.#ofRun(unit);
    const ofStages = this.#ofStages(unit);
    if (ofStages !== undefined && ofStages.amount <= (ofRun?.amount ?? Number.POSITIVE_INFINITY))
      return { ...common, at_most: ofStages.amount, by: 'stages', requests_beyond: ofStages.beyond };
    if (ofRun === undefined) return { ...common, at_most: null, by: null, requests_beyond: 0 };
    const requests_beyond = this.#atOnce(program, levelsOf(program));
    return { ...common, at_most: ofRun.amount, by: ofRun.by, requests_beyond };
  }

  #ofRun(unit: Unit): { readonly amount: number; readonly by: 'run' | 'default' } | undefined {
    const { program, defaultBudgetUsd } = this.#input;
    const { budgetUsd, budgetTokens } = program.limits;
    const said = unit === 'usd' ? amountAllowed(budgetUsd) : budgetTokens;
    if (said !== undefined) return { amount: said, by: 'run' };
    const usual = unit === 'usd' && budgetUsd === undefined ? amountAllowed(defaultBudgetUsd) : undefined;
    return usual === undefined ? undefined : { amount: usual, by: 'default' };
  }

  /** Sum of the budgets of the stages, if all that may spend something have one. */
  #ofStages(unit: Unit): { readonly amount: number; readonly beyond: number } | undefined {
    const { program, workOf } = this.#input;
    const own = ({ budgetUsd, budgetTokens }: ProgramNode) => (unit === 'usd' ? budgetUsd : budgetTokens);
    const isCovered = (node: ProgramNode): boolean => own(node) !== undefined;
    const mayAsk = (node: ProgramNode, of: Program): boolean =>
      node.handler.runsChild || workOf(node, of).requests !== 0;
    const amounts: Quantity = {
      per: 'visit',
      each: (node, of) => own(node) ?? (workOf(node, of).requests === 0 ? 0 : 'unlimited'),
      includesChild: isCovered,
    };
    const amount = this.#bounds.of(program, amounts);
    if (amount.kind === 'unlimited') return undefined;
    const beyond = this.#bounds.of(program, {
      per: 'visit',
      each: (node, of) => (mayAsk(node, of) && isCovered(node) ? this.#ofNode(node, of, levelsOf(of)) : 0),
      includesChild: isCovered,
    });
    return beyond.kind === 'unlimited' ? undefined : { amount: amount.amount, beyond: beyond.amount };
  }

  /** Most requests that are under way at the same time. @param levels of pipelines that may still be nested */
  #atOnce(program: Program, levels: number): number {
    const { mostItems } = this.#input;
    const lines = this.#bounds.linesOf(program) ?? [];
    return mostAtOnce(program, lines, (node) => this.#ofNode(node, program, levels), { mostItems });
  }

  #ofNode(node: ProgramNode, program: Program, levels: number): number {
    const own = this.#input.workOf(node, program).requests === 0 ? 0 : 1;
    const child = node.handler.runsChild && levels > 0 ? this.#input.childOf(program, node) : undefined;
    return own + (typeof child === 'object' ? this.#atOnce(child, levelsBelow(child, levels)) : 0);
  }

  /** Stages that ask a model, with those of children. */
  *#working(
    program: Program,
    prefix: string,
    seen: Set<Program>,
  ): Iterable<{ readonly id: string; readonly work: ModelWork }> {
    if (seen.has(program)) return;
    seen.add(program);
    for (const id of this.#bounds.visited(program)) {
      const node = program.nodes.get(id);
      if (node === undefined) continue;
      const work = this.#input.workOf(node, program);
      if (work.requests !== 0) yield { id: `${prefix}${id}`, work };
      const child = node.handler.runsChild ? this.#input.childOf(program, node) : undefined;
      if (typeof child === 'object') yield* this.#working(child, `${prefix}${id}/`, seen);
    }
  }
}
