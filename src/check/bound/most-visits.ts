import { solve } from 'yalps';
import { mostItems } from '../../graph/parallel.js';
import type { Program, ProgramNode } from '../../graph/program.js';
import type { Line } from './run-lines.js';

/** Limit of a pipeline that keeps an amount as low as it is. */
export interface HeldLimit {
  readonly attribute:
    | 'max_visits'
    | 'max_steps'
    | 'max_restarts'
    | 'max_goal_gate_redirects'
    | 'max_retries'
    | 'foreach'
    /** Not written anywhere: a search over all runs has found that none has more stages. */
    | 'stages';
  /** The node that has it; of `max_steps`, the parallel node whose branches have it each. Undefined for the graph. */
  readonly node_id: string | undefined;
  readonly value: number;
}

/** Upper bound of an amount in one run. */
export interface MostInRun {
  readonly amount: number;
  /** Limits that are used up: raising one raises the amount, unless another holds it too. */
  readonly limits: readonly HeldLimit[];
}

/** What is known besides the pipeline. */
export interface BoundOptions {
  /** Most items of a list; by default what a run allows. */
  readonly mostItems?: number | undefined;
  /** Most stages of a run, all lines together; undefined if only the limits hold them. */
  readonly mostStages?: number | undefined;
}

/**
 * Upper bound of Σ visits × weight over the nodes, in all runs that are not resumed: the largest flow of control through the lines of a
 * run that keeps to the limits, by linear programming. Every run is such a flow, so none exceeds it.
 * @param weight amount of one visit, at least 0
 */
export function mostInRun(
  program: Program,
  lines: readonly Line[],
  weight: (node: ProgramNode) => number,
  options: BoundOptions = {},
): MostInRun {
  const flow = new Flow(program, lines, weight, options);
  return flow.most();
}

/** Key of a constraint. */
type Key = string;

/** Coefficients of one variable: how much of each constraint one move uses, and what it adds to the amount. */
type Coefficients = Map<Key, number>;

const amountKey = 'amount';

class Flow {
  readonly #program: Program;
  readonly #lines: readonly Line[];
  readonly #weight: (node: ProgramNode) => number;
  readonly #mostItems: number;
  readonly #mostStages: number | undefined;
  readonly #held = new Map<Key, HeldLimit>();
  /** Lines that begin at a parallel node of a line. */
  readonly #branches = new Map<Line, Map<string, Line[]>>();
  readonly #ordinals: ReadonlyMap<Line, number>;

  constructor(
    program: Program,
    lines: readonly Line[],
    weight: (node: ProgramNode) => number,
    options: BoundOptions,
  ) {
    this.#program = program;
    this.#lines = lines;
    this.#weight = weight;
    this.#mostItems = options.mostItems ?? mostItems;
    this.#mostStages = options.mostStages;
    this.#ordinals = new Map(lines.map((line, ordinal) => [line, ordinal]));
    for (const line of lines) {
      if (line.fork === undefined) continue;
      const known = this.#branches.get(line.fork.line) ?? new Map<string, Line[]>();
      this.#branches.set(line.fork.line, known);
      known.set(line.fork.node.id, [...(known.get(line.fork.node.id) ?? []), line]);
    }
  }

  most(): MostInRun {
    const [main] = this.#lines;
    if (main === undefined) return { amount: 0, limits: [] };
    const start: Coefficients = new Map();
    this.#enter(start, main, main.first, 1);
    this.#beginRound(start);
    const { maxRestarts } = this.#program.limits;
    add(start, this.#limit('restarts', 'max_restarts', undefined, maxRestarts), -maxRestarts);
    if (this.#mostStages !== undefined) add(start, this.#stagesKey(this.#mostStages), -this.#mostStages);
    const moves = this.#lines.flatMap((line) => [
      ...(line.fork === undefined ? [] : [this.#beginning(line)]),
      ...line.moves.map((move) => this.#move(line, move)),
    ]);
    const keys = new Set([start, ...moves].flatMap((coefficients) => [...coefficients.keys()]));
    keys.delete(amountKey);
    const constraints = new Map([...keys].map((key) => [key, { max: -(start.get(key) ?? 0) }]));
    const variables = new Map(moves.map((coefficients, ordinal) => [ordinal, coefficients]));
    const solution = solve<number, string>(
      { direction: 'maximize', objective: amountKey, constraints, variables },
      { maxPivots: 200_000, checkCycles: false, includeZeroVariables: false },
    );
    if (solution.status !== 'optimal')
      throw new Error(`the most of a pipeline could not be computed (${solution.status})`);
    const result = Number.isFinite(solution.result) ? solution.result : 0;
    const amount = (start.get(amountKey) ?? 0) + result;
    const used = solution.variables.map(([ordinal, times]) => ({ move: moves[ordinal], times }));
    return { amount: this.#rounded(amount), limits: this.#heldBy(start, used) };
  }

  #move(line: Line, { from, to, kind }: Line['moves'][number]): Coefficients {
    const coefficients: Coefficients = new Map();
    add(coefficients, this.#key('at', line, from), 1);
    this.#enter(coefficients, line, to, 1);
    const { maxGoalGateRedirects } = this.#program.limits;
    if (kind === 'goal_gate')
      add(
        coefficients,
        this.#limit('redirects', 'max_goal_gate_redirects', undefined, maxGoalGateRedirects),
        1,
      );
    if (kind !== 'restart') return coefficients;
    add(coefficients, 'restarts', 1);
    this.#beginRound(coefficients);
    return coefficients;
  }

  /** A branch visits its first node: at most as often as its parallel node begins it, but it may be refused (`max_visits`). */
  #beginning(branch: Line): Coefficients {
    const coefficients: Coefficients = new Map([[this.#key('begun', branch, ''), 1]]);
    this.#enter(coefficients, branch, branch.first, 1);
    add(coefficients, this.#stepsKey(branch), -this.#program.limits.maxSteps);
    return coefficients;
  }

  /** Adds visits of a node of a line, and the branches that each may begin. */
  #enter(coefficients: Coefficients, line: Line, id: string, times: number): void {
    const node = this.#program.nodes.get(id);
    if (node === undefined) return;
    add(coefficients, this.#key('at', line, id), -times);
    const counts = id !== this.#program.startId && id !== this.#program.exitId;
    if (!counts) return;
    add(coefficients, amountKey, times * this.#weight(node));
    add(coefficients, this.#stepsKey(line), times);
    if (this.#mostStages !== undefined) add(coefficients, this.#stagesKey(this.#mostStages), times);
    if (node.maxVisits !== undefined) add(coefficients, this.#visitsKey(line, node, node.maxVisits), times);
    for (const branch of this.#branches.get(line)?.get(id) ?? []) {
      add(
        coefficients,
        this.#key('begun', branch, ''),
        -times * node.retry.maxAttempts * this.#itemsOf(node),
      );
    }
  }

  /** A run begins, or restarts: the limits count from the beginning (SEMANTICS 36). */
  #beginRound(coefficients: Coefficients): void {
    const { maxSteps, maxGoalGateRedirects } = this.#program.limits;
    for (const line of this.#lines) {
      if (line.fork === undefined) add(coefficients, this.#stepsKey(line), -maxSteps);
      for (const id of line.nodes) {
        const node = this.#program.nodes.get(id);
        if (node?.maxVisits === undefined || id === this.#program.startId || id === this.#program.exitId)
          continue;
        add(
          coefficients,
          this.#visitsKey(line, node, node.maxVisits),
          -node.maxVisits * this.#itemsAround(line),
        );
      }
    }
    add(coefficients, 'redirects', -maxGoalGateRedirects);
  }

  /** Number of branches that one edge of a parallel node begins. */
  #itemsOf({ parallel }: ProgramNode): number {
    return parallel?.foreach === undefined ? 1 : this.#mostItems;
  }

  /** Number of branches in place of a line of the graph: each counts its own visits (SEMANTICS 106). */
  #itemsAround({ fork }: Line): number {
    let items = 1;
    for (let around = fork; around !== undefined; around = around.line.fork)
      items *= this.#itemsOf(around.node);
    return items;
  }

  #key(kind: string, line: Line, id: string): Key {
    return `${kind}\n${this.#ordinals.get(line)}\n${id}`;
  }

  #stepsKey(line: Line): Key {
    const { maxSteps } = this.#program.limits;
    return this.#limit(this.#key('steps', line, ''), 'max_steps', line.fork?.node.id, maxSteps);
  }

  #stagesKey(value: number): Key {
    return this.#limit('stages', 'stages', undefined, value);
  }

  #visitsKey(line: Line, { id }: ProgramNode, value: number): Key {
    return this.#limit(this.#key('visits', line, id), 'max_visits', id, value);
  }

  /** Sums of whole amounts are whole: no run has a part after the point. */
  #rounded(amount: number): number {
    const isWhole = [...this.#program.nodes.values()].every((node) => Number.isInteger(this.#weight(node)));
    const most = amount + Math.max(tolerance, amount * 1e-9);
    return isWhole ? Math.floor(most) : most;
  }

  #limit(key: Key, attribute: HeldLimit['attribute'], node_id: string | undefined, value: number): Key {
    if (!this.#held.has(key)) this.#held.set(key, { attribute, node_id, value });
    return key;
  }

  /** Limits that the largest flow uses up, and the factors of its visits. */
  #heldBy(
    start: Coefficients,
    used: readonly { readonly move: Coefficients | undefined; readonly times: number }[],
  ): readonly HeldLimit[] {
    const spent = new Map<Key, number>();
    const left = new Map<Key, number>();
    for (const { move, times } of [{ move: start, times: 1 }, ...used]) {
      for (const [key, each] of move ?? []) {
        left.set(key, (left.get(key) ?? 0) + each * times);
        if (each > 0) spent.set(key, (spent.get(key) ?? 0) + each * times);
      }
    }
    const held = new Map<string, HeldLimit>();
    for (const [key, limit] of this.#held) {
      const amount = spent.get(key) ?? 0;
      const isUsedUp = Math.abs(left.get(key) ?? 0) <= tolerance * Math.max(1, amount);
      if (amount > tolerance && isUsedUp) held.set(JSON.stringify(limit), limit);
    }
    for (const limit of this.#factors(spent)) held.set(JSON.stringify(limit), limit);
    return [...held.values()];
  }

  *#factors(spent: ReadonlyMap<Key, number>): Iterable<HeldLimit> {
    for (const line of this.#lines) {
      const { fork } = line;
      if (fork === undefined || (spent.get(this.#key('begun', line, '')) ?? 0) <= tolerance) continue;
      const { node } = fork;
      const items = this.#itemsOf(node);
      if (items > 1) yield { attribute: 'foreach', node_id: node.id, value: items };
      const { maxAttempts } = node.retry;
      if (maxAttempts > 1) yield { attribute: 'max_retries', node_id: node.id, value: maxAttempts - 1 };
    }
  }
}

function add(coefficients: Coefficients, key: Key, amount: number): void {
  coefficients.set(key, (coefficients.get(key) ?? 0) + amount);
}

const tolerance = 1e-6;
