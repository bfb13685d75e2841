import type { Outcome } from '../../src/machine/outcome.js';
import { listOf, pipeline } from '../run/harness.js';
import { fc } from '../support/fast-check.js';

/*
 * Random pipelines that lint accepts: every node is on a way from start to exit, ids exist, conditions parse. The ways
 * through them are as wild as can be: loops, dead ends, conditions that leave holes, gates, jumps, limits, restarts, and
 * parallel nodes in parallel nodes, some of them with a branch for each item of a list.
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
  /** How many items become branches, all by the first of `branches`; undefined for branches of edges. */
  readonly items: number | undefined;
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
        on_conflict: fc.constantFrom('last_wins', 'first_wins', 'error'),
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
    items: fc.option(fc.integer({ min: 1, max: depth > 1 ? 2 : 3 }), { nil: undefined }),
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

function pipelinesOf(wildness: Wildness): fc.Arbitrary<PipelineText> {
  return fc
    .record({
      graph: graphAttributes,
      main: blocks(wildness, 5, 2),
      extra: extraEdges,
      maxSteps: fc.integer(wildness.tangled ? { min: 5, max: 40 } : { min: 60, max: 60 }),
    })
    .map(({ graph, main, extra, maxSteps }) => {
      const text = new PipelineText(wildness.tangled);
      const end = text.addSequence(main, 'start', {}, []);
      text.addEdge(end.from, 'exit', end.attributes);
      for (const edge of extra) text.addExtraEdge(edge);
      text.settings = text.resolved({ ...graph, max_steps: maxSteps }, 0);
      return text;
    });
}

interface Loose {
  readonly from: string;
  readonly attributes: object;
}

interface NodeText {
  readonly id: string;
  readonly attributes: object;
  readonly group: number;
  /** The parallel nodes with a list whose branches it is in, the outermost first. */
  readonly lists: readonly string[];
  /** How many items a parallel node has a branch for. */
  readonly items?: number;
}

interface EdgeText {
  readonly from: string;
  readonly to: string;
  readonly attributes: object;
}

/** Nodes and edges of a pipeline. Stages are `n<i>`, parallel nodes `p<i>`, and where they meet `j<i>`. */
class PipelineText {
  readonly #tangled: boolean;
  readonly #nodes: NodeText[] = [];
  readonly #edges: EdgeText[] = [];
  /** The nodes of each sequence of blocks: those that an edge or a jump may stay among. */
  readonly #groups: string[][] = [];
  settings: object = {};

  constructor(tangled: boolean) {
    this.#tangled = tangled;
  }

  /** @returns the end of the sequence, from which an edge is to lead on */
  addSequence(sequence: readonly Block[], from: string, attributes: object, lists: NodeText['lists']): Loose {
    const group = this.#groups.push([]) - 1;
    let end: Loose = { from, attributes };
    for (const block of sequence) {
      end =
        block.kind === 'stage'
          ? this.#addStage(block, end, { group, lists })
          : this.#addParallel(block, end, { group, lists });
    }
    return end;
  }

  #addNode(letter: string, node: Omit<NodeText, 'id'>): string {
    const id = `${letter}${this.#nodes.length}`;
    this.#nodes.push({ id, ...node });
    this.#groups[node.group]?.push(id);
    return id;
  }

  #addStage({ attributes, onward }: Stage, end: Loose, place: Pick<NodeText, 'group' | 'lists'>): Loose {
    const from = this.#addNode('n', { attributes, ...place });
    this.addEdge(end.from, from, end.attributes);
    return { from, attributes: onward };
  }

  #addParallel(
    { attributes, items, branches, joinShape, join, onward }: Parallel,
    end: Loose,
    place: Pick<NodeText, 'group' | 'lists'>,
  ): Loose {
    const node = { attributes: { shape: 'component', ...attributes }, ...place };
    const parallel = this.#addNode('p', items === undefined ? node : { ...node, items });
    this.addEdge(end.from, parallel, end.attributes);
    const lists = items === undefined ? place.lists : [...place.lists, parallel];
    const ends = branches
      .slice(0, items === undefined ? branches.length : 1)
      .map((branch) => this.addSequence(branch, parallel, {}, lists));
    const meeting = this.#addNode('j', { attributes: { shape: joinShape, ...join }, ...place });
    for (const { from, attributes: last } of ends) this.addEdge(from, meeting, last);
    // A join that is found goes by distances, which differ between a list and its copies (SEMANTICS 48).
    if (items !== undefined || !this.#tangled) Object.assign(node.attributes, { join: meeting });
    return { from: meeting, attributes: onward };
  }

  addEdge(from: string, to: string, attributes: object): void {
    this.#edges.push({ from, to, attributes });
  }

  /** From an ordinary node; the edges of a parallel node are its branches. */
  addExtraEdge({ from, to, attributes }: { from: number; to: number; attributes: object }): void {
    const sources = this.#nodes.filter(
      ({ id, items }) => !id.startsWith('p') || (this.#tangled && items === undefined),
    );
    const source = around(sources, from);
    if (source === undefined) return;
    const target = around([...this.#targetsFor(source.group), 'exit'], to) ?? 'exit';
    // A branch has the name of its first stage, and would share it with the first one of the list.
    if (source.id.startsWith('p') && this.#beginsItem(target)) return;
    this.addEdge(source.id, target, attributes);
  }

  #beginsItem(id: string): boolean {
    const lists = new Set(this.#nodes.flatMap((node) => (node.items === undefined ? [] : node.id)));
    return this.#edges.some(({ from, to }) => to === id && lists.has(from));
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

  /** With `foreach`, where there are lists. */
  asLists(): string {
    const listed = ({ id, items, attributes, group }: NodeText): object => {
      const resolved = this.resolved(attributes, group);
      if (items === undefined) return resolved;
      return { ...resolved, foreach: `\${inputs.${listOf(items)}}`, as: `item_${id}` };
    };
    return this.#dot(
      this.#nodes.map((node) => [node.id, listed(node)]),
      this.#edges,
    );
  }

  /** With as many edges to the first stage of the branch as a list has items. */
  asEdges(): string {
    const itemsOf = new Map(this.#nodes.map(({ id, items = 1 }) => [id, items]));
    return this.#dot(
      this.#nodes.map(({ id, attributes, group }) => [id, this.resolved(attributes, group)]),
      this.#edges.flatMap((edge) => Array.from({ length: itemsOf.get(edge.from) ?? 1 }, () => edge)),
    );
  }

  /** With a copy of the branch for each item, whose stages have names of their own: `n3_2` for the second item. */
  asCopies(): string {
    const placed = new Map(this.#nodes.map((node) => [node.id, node]));
    const itemsOf = (id: string): readonly string[] =>
      Array.from({ length: placed.get(id)?.items ?? 1 }, (_, index) => `_${index + 1}`);
    /** What is added to the names of nodes in these lists, once for each combination of items. */
    const suffixes = (lists: readonly string[]): readonly string[] =>
      lists.reduce<readonly string[]>(
        (some, id) => some.flatMap((one) => itemsOf(id).map((two) => one + two)),
        [''],
      );
    const depthOf = (id: string): number => placed.get(id)?.lists.length ?? 0;
    /** The part of a suffix for the lists around a node. */
    const cut = (suffix: string, depth: number): string =>
      suffix
        .split('_')
        .slice(0, depth + 1)
        .join('_');
    const named = (id: string, suffix: string): string => `${id}${cut(suffix, depthOf(id))}`;
    const nodes = this.#nodes.flatMap(({ id, attributes, group, lists }) =>
      suffixes(lists).map((suffix): [string, object] => [
        `${id}${suffix}`,
        renamed(this.resolved(attributes, group), (target) =>
          placed.has(target) ? named(target, suffix) : target,
        ),
      ]),
    );
    const edges = this.#edges.flatMap(({ from, to, attributes }) => {
      const { lists = [], items } = placed.get(from) ?? {};
      const within = items === undefined ? lists : [...lists, from];
      return suffixes(within).map((suffix) => ({
        from: named(from, suffix),
        to: named(to, suffix),
        attributes,
      }));
    });
    return this.#dot(nodes, edges);
  }

  #dot(nodes: readonly (readonly [string, object])[], edges: readonly EdgeText[]): string {
    return pipeline(
      `graph [${written(this.settings)}]`,
      ...nodes.map(([id, attributes]) => `${id} [${written(attributes)}]`),
      ...edges.map(({ from, to, attributes }) => `${from} -> ${to} [${written(attributes)}]`),
    );
  }
}

/** Attributes whose nodes have other names. */
function renamed(attributes: object, rename: (id: string) => string): object {
  const isName = (name: string): boolean => name === 'join' || name.endsWith('retry_target');
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [name, isName(name) ? rename(value) : value]),
  );
}

function around<Value>(values: readonly Value[], index: number): Value | undefined {
  return values[index % Math.max(1, values.length)];
}

function written(attributes: object): string {
  return Object.entries(attributes)
    .map(([name, value]) => `${name}=${JSON.stringify(String(value))}`)
    .join(', ');
}

const texts = {
  lines: pipelinesOf({ depth: 0, tangled: true }),
  tangled: pipelinesOf({ depth: 3, tangled: true }),
  orderly: pipelinesOf({ depth: 3, tangled: false }),
};

const asLists = (text: PipelineText): string => text.asLists();

/** Pipelines without parallel nodes: one thing happens after the other. */
export const linePipelines = texts.lines.map(asLists);

/** Pipelines with parallel nodes, up to three in each other. */
export const pipelines = texts.tangled.map(asLists);

/** The same, where the order in which stages end makes no difference to what becomes of the run. */
export const orderlyPipelines = texts.orderly.map(asLists);

/** A pipeline in two ways: with lists, and with a branch written down for each item. */
export interface SamePipelines {
  readonly lists: string;
  readonly branches: string;
}

/** Each item has an edge of its own, to the first stage of the branch. */
export const pipelinesOfEdges: fc.Arbitrary<SamePipelines> = texts.tangled.map((text) => ({
  lists: text.asLists(),
  branches: text.asEdges(),
}));

/** Each item has a copy of the branch, whose stages have the names of the original and `_` with the number of the item. */
export const pipelinesOfCopies: fc.Arbitrary<SamePipelines> = texts.orderly.map((text) => ({
  lists: text.asLists(),
  branches: text.asCopies(),
}));

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
