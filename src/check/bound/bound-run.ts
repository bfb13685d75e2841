import { graphAttribute } from '../../graph/attributes.js';
import type { Program, ProgramNode } from '../../graph/program.js';
import { type BoundOptions, type HeldLimit, mostInRun } from './most-visits.js';
import { type Line, runLines } from './run-lines.js';

/** Something that is counted in a run, and in the pipelines that its stages run. */
export interface Quantity {
  /** Amount that a stage itself adds in one visit or one attempt; `unlimited` where nothing limits it. */
  readonly each: (node: ProgramNode, program: Program) => number | 'unlimited';
  readonly per: 'visit' | 'attempt';
  /** True if `each` of a stage that runs a pipeline includes the amount of that. */
  readonly includesChild?: (node: ProgramNode, program: Program) => boolean;
}

/** Pipeline that a stage runs; undefined if it runs none, or none that could run. */
export type ChildOf = (program: Program, node: ProgramNode) => Program | 'unknown' | undefined;

export interface RunBoundOptions extends Omit<BoundOptions, 'mostStages'> {
  readonly childOf?: ChildOf;
  /** A pipeline and the stages of its longest run, where a search has proved them. */
  readonly longest?: { readonly program: Program; readonly stages: number } | undefined;
}

/** Limit that holds an amount, with the stage whose pipeline has it. */
export interface LimitBelow extends HeldLimit {
  /** Stages from the pipeline down to the one that has the limit: `release/build`. */
  readonly below: string | undefined;
}

/** Upper bound of a quantity over all runs, or the stages that keep it from having one. */
export type Bound =
  | { readonly kind: 'limited'; readonly amount: number; readonly limits: readonly LimitBelow[] }
  | { readonly kind: 'unlimited'; readonly nodes: readonly UnlimitedNode[] };

export interface UnlimitedNode {
  readonly node_id: string;
  readonly reason: 'no_limit' | 'unknown_pipeline' | 'nested_too_deep';
}

/** Finds upper bounds over all runs of a pipeline that are not resumed, its children included. */
export class RunBounds {
  readonly #options: RunBoundOptions;
  readonly #lines = new Map<Program, readonly Line[] | undefined>();

  constructor(options: RunBoundOptions = {}) {
    this.#options = options;
  }

  of(program: Program, quantity: Quantity): Bound {
    return this.#of(program, quantity, levelsOf(program), new Map());
  }

  /** @returns undefined for parallel nodes that are nested too deep */
  linesOf(program: Program): readonly Line[] | undefined {
    if (!this.#lines.has(program)) this.#lines.set(program, runLines(program));
    return this.#lines.get(program);
  }

  /** Nodes that a run may visit, whatever the conditions. */
  visited(program: Program): ReadonlySet<string> {
    return new Set((this.linesOf(program) ?? []).flatMap(({ nodes }) => [...nodes]));
  }

  #of(program: Program, quantity: Quantity, levels: number, known: Map<string, Bound>): Bound {
    const lines = this.linesOf(program);
    if (lines === undefined)
      return { kind: 'unlimited', nodes: [{ node_id: program.startId, reason: 'nested_too_deep' }] };
    const weights = new Map<string, number>();
    const unlimited: UnlimitedNode[] = [];
    const children = new Map<string, Extract<Bound, { kind: 'limited' }>>();
    for (const id of this.visited(program)) {
      const node = program.nodes.get(id);
      if (node === undefined || id === program.startId || id === program.exitId) continue;
      const own = quantity.each(node, program);
      const below = this.#below(program, node, quantity, levels, known);
      if (own === 'unlimited') unlimited.push({ node_id: id, reason: 'no_limit' });
      if (below.kind === 'unlimited')
        unlimited.push(
          ...below.nodes.map(({ node_id, reason }) => ({ node_id: joined(id, node_id), reason })),
        );
      if (own === 'unlimited' || below.kind === 'unlimited') continue;
      const attempts = node.retry.maxAttempts;
      weights.set(id, (quantity.per === 'attempt' ? attempts : 1) * own + attempts * below.amount);
      if (below.amount > 0) children.set(id, below);
    }
    if (unlimited.length > 0) return { kind: 'unlimited', nodes: unlimited };
    const { mostItems, longest } = this.#options;
    const mostStages = longest?.program === program ? longest.stages : undefined;
    const most = mostInRun(program, lines, ({ id }) => weights.get(id) ?? 0, { mostItems, mostStages });
    const retried = [...weights].flatMap(([id, weight]) =>
      weight > 0 && most.amount > 0 ? retryLimit(program, id, quantity, children.has(id)) : [],
    );
    const ofChildren = [...children].flatMap(([id, { limits }]) =>
      limits.map((limit) => ({ ...limit, below: joined(id, limit.below) })),
    );
    const own = [...most.limits, ...retried].map((limit) => ({ ...limit, below: undefined }));
    return { kind: 'limited', amount: most.amount, limits: [...own, ...ofChildren] };
  }

  #below(
    program: Program,
    node: ProgramNode,
    quantity: Quantity,
    levels: number,
    known: Map<string, Bound>,
  ): Bound {
    const none: Bound = { kind: 'limited', amount: 0, limits: [] };
    if (levels <= 0 || !node.handler.runsChild || quantity.includesChild?.(node, program) === true)
      return none;
    const child = this.#options.childOf?.(program, node);
    if (child === undefined) return none;
    if (child === 'unknown')
      return { kind: 'unlimited', nodes: [{ node_id: '', reason: 'unknown_pipeline' }] };
    const left = levelsBelow(child, levels);
    const key = `${ordinalOf(child)} ${left}`;
    const found = known.get(key) ?? this.#of(child, quantity, left, known);
    known.set(key, found);
    return found;
  }
}

/** Levels of pipelines that may be nested in a run (§9.4). */
export function levelsOf({ graph }: Program): number {
  return graphAttribute(graph, 'limits.depth');
}

/** Levels that may be nested in a child, where its parent may nest so many. */
export function levelsBelow(child: Program, levels: number): number {
  return Math.min(levels - 1, levelsOf(child));
}

const ordinals = new WeakMap<Program, number>();
let lastOrdinal = 0;

function ordinalOf(program: Program): number {
  const known = ordinals.get(program);
  if (known !== undefined) return known;
  lastOrdinal += 1;
  ordinals.set(program, lastOrdinal);
  return lastOrdinal;
}

function joined(above: string, below: string | undefined): string {
  return below === undefined || below === '' ? above : `${above}/${below}`;
}

/** The retries of a stage, where each attempt counts. */
function retryLimit(
  { nodes }: Program,
  id: string,
  { per }: Quantity,
  hasChild: boolean,
): readonly HeldLimit[] {
  const retries = (nodes.get(id)?.retry.maxAttempts ?? 1) - 1;
  if (retries === 0 || (per === 'visit' && !hasChild)) return [];
  return [{ attribute: 'max_retries', node_id: id, value: retries }];
}
