import type { Outcome } from '../../src/machine/outcome.js';
import { pipeline } from '../run/harness.js';
import { fc } from '../support/fast-check.js';

/*
 * Random pipelines that lint accepts: every node is on a way from start to exit, ids exist, conditions parse. The ways
 * through them are as wild as can be: loops, dead ends, conditions that leave holes, gates, jumps, limits, restarts, and
 * parallel nodes in parallel nodes.
 */

/** How wild the pipelines are. */
interface Wildness {
  /** How deep parallel nodes lie in each other; 0 for none. */
  readonly depth: number;
  /**
   * Whether everything may lead everywhere. Without it, what happens in one branch cannot depend on how far another one
   * is: edges and jumps stay in their branch, and what decides early does so only where branches run one by one.
   */
  readonly tangled: boolean;
}

/** A stage, or a parallel node with its branches and where they meet. */
type Block = Stage | Parallel;

interface Stage {
  readonly kind: 'stage';
  readonly attributes: object;
  /** Of the edge that leads on. */
  readonly onward: object;
}

interface Parallel {
  readonly kind: 'parallel';
  readonly attributes: object;
  readonly branches: readonly (readonly Block[])[];
  readonly joinShape: 'tripleoctagon' | 'box';
  readonly join: object;
  readonly onward: object;
}

const conditions = fc.constantFrom(
  'outcome=success',
  'outcome=fail',
  'outcome!=success',
  'preferred_label=Go',
  'context.n > 1',
  'context.n <= 1 && outcome=success',
);

const edgeAttributes = fc.record(
  {
    condition: conditions,
    label: fc.constantFrom('Go', '[G] go', 'Stop'),
    weight: fc.integer({ min: -2, max: 2 }),
    loop_restart: fc.constantFrom(false, false, false, true),
  },
  { requiredKeys: [] },
);

/** Most of the way is open, so that many runs get far. */
const onwardAttributes = fc.oneof(
  { arbitrary: fc.constant({}), weight: 3 },
  { arbitrary: edgeAttributes, weight: 1 },
);

const nodeAttributes = {
  max_retries: fc.integer({ min: 0, max: 2 }),
  retry_policy: fc.constantFrom('none', 'linear', 'patient'),
  allow_partial: fc.boolean(),
  on_failure: fc.constantFrom('stop', 'continue', 'continue'),
  // Of the nodes that a jump may go to: which one, counted around; or what is not a target at all.
  retry_target: fc.oneof(fc.nat({ max: 7 }), fc.constantFrom('exit', 'nobody')),
  fallback_retry_target: fc.oneof(fc.nat({ max: 7 }), fc.constantFrom('exit', 'nobody')),
};

/** Which gate sends the run back depends on which of them was visited first. */
const tangledAttributes = {
  ...nodeAttributes,
  goal_gate: fc.boolean(),
  max_visits: fc.integer({ min: 1, max: 4 }),
};

const stageShapes = fc.constantFrom('box', 'box', 'diamond', 'parallelogram', 'hexagon');

function stages({ tangled }: Wildness): fc.Arbitrary<Stage> {
  const attributes = fc
    .tuple(stageShapes, fc.record(tangled ? tangledAttributes : nodeAttributes, { requiredKeys: [] }))
    .map(([shape, more]) => ({ shape, ...more }));
  return fc.record({ kind: fc.constant('stage' as const), attributes, onward: onwardAttributes });
}

const waiting = {
  join_policy: ['wait_all', 'wait_all', 'k_of_n', 'quorum'],
  error_policy: ['continue', 'ignore'],
};
const hasty = {
  join_policy: ['wait_all', 'k_of_n', 'quorum', 'first_success'],
  error_policy: ['continue', 'ignore', 'fail_fast'],
};

function policies({ tangled }: Wildness): fc.Arbitrary<object> {
  const of = ({ join_policy, error_policy }: typeof waiting, max_parallel: fc.Arbitrary<number>) =>
    fc.record(
      {
        ...(tangled ? tangledAttributes : nodeAttributes),
        join_policy: fc.constantFrom(...join_policy),
        join_k: fc.constant(1),
        join_quorum: fc.constantFrom(0.1, 0.5, 1),
        error_policy: fc.constantFrom(...error_policy),
        max_parallel,
        ...(tangled && { timeout: fc.constantFrom('0s', '3s') }),
      },
      { requiredKeys: ['max_parallel'] },
    );
  const some = fc.integer({ min: 1, max: 3 });
  return tangled ? of(hasty, some) : fc.oneof(of(waiting, some), of(hasty, fc.constant(1)));
}

function blocks(wildness: Wildness, maxLength: number, minLength = 0): fc.Arbitrary<readonly Block[]> {
  const { depth } = wildness;
  const stage: fc.Arbitrary<Block> = stages(wildness);
  if (depth === 0) return fc.array(stage, { minLength, maxLength });
  const inner = blocks({ ...wildness, depth: depth - 1 }, 2);
  const parallel: fc.Arbitrary<Block> = fc.record({
    kind: fc.constant('parallel' as const),
    attributes: policies(wildness),
    branches: fc.array(inner, { minLength: 1, maxLength: 3 }),
    joinShape: fc.constantFrom('tripleoctagon', 'tripleoctagon', 'box'),
    join: fc.record(nodeAttributes, { requiredKeys: [] }),
    onward: onwardAttributes,
  });
  const block = fc.oneof({ arbitrary: stage, weight: 2 }, { arbitrary: parallel, weight: 1 });
  return fc.array(block, { minLength, maxLength });
}

const graphAttributes = fc.record(
  {
    on_failure: fc.constantFrom('stop', 'continue'),
    default_max_retries: fc.integer({ min: 0, max: 2 }),
    retry_on_fail: fc.constantFrom('explicit', 'always', 'never'),
    retry_target: fc.oneof(fc.nat({ max: 7 }), fc.constantFrom('exit', 'nobody')),
    require_goal_gates: fc.boolean(),
    max_goal_gate_redirects: fc.integer({ min: 0, max: 3 }),
    max_restarts: fc.integer({ min: 0, max: 2 }),
  },
  { requiredKeys: ['max_restarts'] },
);

/** An edge more: from where to where, counted around among the nodes that it may join. */
const extraEdges = fc.array(
  fc.record({ from: fc.nat({ max: 11 }), to: fc.nat({ max: 12 }), attributes: edgeAttributes }),
  { maxLength: 6 },
);

function pipelinesOf(wildness: Wildness): fc.Arbitrary<string> {
  return fc
    .record({
      graph: graphAttributes,
      main: blocks(wildness, 5, 2),
      extra: extraEdges,
      maxSteps: fc.integer(wildness.tangled ? { min: 5, max: 40 } : { min: 60, max: 60 }),
    })
    .map(({ graph, main, extra, maxSteps }) => {
      const text = new PipelineText(wildness.tangled);
      const end = text.addSequence(main, 'start', {});
      text.addEdge(end.from, 'exit', end.attributes);
      for (const edge of extra) text.addExtraEdge(edge);
      return pipeline(
        `graph [${written(text.resolved({ ...graph, max_steps: maxSteps }, 0))}]`,
        ...text.statements(),
      );
    });
}

interface Loose {
  readonly from: string;
  readonly attributes: object;
}

/** Writes blocks down as nodes and edges. Stages are `n<i>`, parallel nodes `p<i>`, and where they meet `j<i>`. */
class PipelineText {
  readonly #tangled: boolean;
  readonly #nodes: { readonly id: string; readonly attributes: object; readonly group: number }[] = [];
  readonly #edges: string[] = [];
  /** The nodes of each sequence of blocks: those that an edge or a jump may stay among. */
  readonly #groups: string[][] = [];

  constructor(tangled: boolean) {
    this.#tangled = tangled;
  }

  /** @returns the end of the sequence, from which an edge is to lead on */
  addSequence(sequence: readonly Block[], from: string, attributes: object): Loose {
    const group = this.#groups.push([]) - 1;
    let end: Loose = { from, attributes };
    for (const block of sequence) {
      end = block.kind === 'stage' ? this.#addStage(block, end, group) : this.#addParallel(block, end, group);
    }
    return end;
  }

  #addNode(letter: string, attributes: object, group: number): string {
    const id = `${letter}${this.#nodes.length}`;
    this.#nodes.push({ id, attributes, group });
    this.#groups[group]?.push(id);
    return id;
  }

  #addStage({ attributes, onward }: Stage, end: Loose, group: number): Loose {
    const from = this.#addNode('n', attributes, group);
    this.addEdge(end.from, from, end.attributes);
    return { from, attributes: onward };
  }

  #addParallel(
    { attributes, branches, joinShape, join, onward }: Parallel,
    end: Loose,
    group: number,
  ): Loose {
    const parallel = this.#addNode('p', { shape: 'component', ...attributes }, group);
    this.addEdge(end.from, parallel, end.attributes);
    const ends = branches.map((branch) => this.addSequence(branch, parallel, {}));
    const meeting = this.#addNode('j', { shape: joinShape, ...join }, group);
    for (const { from, attributes: last } of ends) this.addEdge(from, meeting, last);
    return { from: meeting, attributes: onward };
  }

  addEdge(from: string, to: string, attributes: object): void {
    this.#edges.push(`${from} -> ${to} [${written(attributes)}]`);
  }

  /** From an ordinary node; the edges of a parallel node are its branches. */
  addExtraEdge({ from, to, attributes }: { from: number; to: number; attributes: object }): void {
    const sources = this.#nodes.filter(({ id }) => this.#tangled || !id.startsWith('p'));
    const source = around(sources, from);
    if (source === undefined) return;
    this.addEdge(source.id, around([...this.#targetsFor(source.group), 'exit'], to) ?? 'exit', attributes);
  }

  #targetsFor(group: number): readonly string[] {
    return this.#tangled ? this.#nodes.map(({ id }) => id) : (this.#groups[group] ?? []);
  }

  /** Attributes in which a number that stands for a jump target has become a node. */
  resolved(attributes: object, group: number): object {
    const entries = Object.entries(attributes).map(([name, value]) => {
      const isTarget = name.endsWith('retry_target') && typeof value === 'number';
      return [name, isTarget ? (around(this.#targetsFor(group), value) ?? 'nobody') : value];
    });
    return Object.fromEntries(entries);
  }

  statements(): readonly string[] {
    return [
      ...this.#nodes.map(
        ({ id, attributes, group }) => `${id} [${written(this.resolved(attributes, group))}]`,
      ),
      ...this.#edges,
    ];
  }
}

function around<Value>(values: readonly Value[], index: number): Value | undefined {
  return values[index % Math.max(1, values.length)];
}

function written(attributes: object): string {
  return Object.entries(attributes)
    .map(([name, value]) => `${name}=${JSON.stringify(String(value))}`)
    .join(', ');
}

/** Pipelines without parallel nodes: one thing happens after the other. */
export const linePipelines = pipelinesOf({ depth: 0, tangled: true });

/** Pipelines with parallel nodes, up to three in each other. */
export const pipelines = pipelinesOf({ depth: 3, tangled: true });

/** The same, where the order in which stages end makes no difference to what becomes of the run. */
export const orderlyPipelines = pipelinesOf({ depth: 3, tangled: false });

const outcome: fc.Arbitrary<Outcome> = fc.record(
  {
    status: fc.constantFrom(
      'success',
      'success',
      'success',
      'success',
      'partial_success',
      'fail',
      'retry',
      'skipped',
    ),
    preferred_label: fc.constantFrom('Go', 'stop', 'Nowhere'),
    suggested_next_ids: fc.array(fc.constantFrom('n0', 'n1', 'n2', 'n3', 'exit', 'nobody'), { maxLength: 2 }),
    context_updates: fc.record({ n: fc.integer({ min: 0, max: 3 }) }),
    failure_reason: fc.constantFrom('red', ''),
    retryable: fc.boolean(),
  },
  { requiredKeys: ['status'] },
);

/** What happens to the stages, one outcome an attempt; they repeat. */
export const outcomeSequences: fc.Arbitrary<readonly Outcome[]> = fc.array(outcome, {
  minLength: 1,
  maxLength: 12,
});
