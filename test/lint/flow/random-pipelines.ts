import { fc } from '../../support/fast-check.js';

// Pipelines as data, small enough that all of their states can be counted; the reference reads this data, the compiler its text.

export const words = ['red', 'blue'] as const;
export type Word = (typeof words)[number];

export interface Clause {
  readonly key: 'outcome' | 'context.k';
  readonly sign: '=' | '!=';
  readonly value: string;
}

export interface ModelEdge {
  readonly from: string;
  readonly to: string;
  /** All must hold; undefined for an edge without a condition. */
  readonly condition: readonly Clause[] | undefined;
  readonly weight: number;
  readonly label: string;
}

export interface ModelNode {
  readonly id: string;
  readonly kind: 'llm' | 'tool' | 'diamond';
  readonly goalGate: boolean;
  readonly retryTarget: string | undefined;
  readonly maxVisits: number | undefined;
  readonly continues: boolean;
  /** Word that the node assigns to the key of the context. */
  readonly assigns: Word | undefined;
  /** True if its prompt reads the key. */
  readonly reads: boolean;
}

export interface Model {
  readonly nodes: ReadonlyMap<string, ModelNode>;
  readonly edges: readonly ModelEdge[];
  readonly first: string;
  readonly retryTarget: string | undefined;
  readonly requiresGates: boolean;
}

const ids = ['n0', 'n1', 'n2', 'n3', 'n4'] as const;

const outcomes = ['success', 'fail', 'fail', 'partial_success'] as const;
const sign = fc.constantFrom('=', '=', '=', '!=') as fc.Arbitrary<'=' | '!='>;
const ofOutcome = fc
  .tuple(sign, fc.constantFrom(...outcomes))
  .map(([how, value]): Clause => ({ key: 'outcome', sign: how, value }));
const ofKey = fc
  .tuple(sign, fc.constantFrom(...words))
  .map(([how, value]): Clause => ({ key: 'context.k', sign: how, value }));
const condition = fc.oneof(
  { arbitrary: fc.tuple(ofOutcome), weight: 5 },
  { arbitrary: fc.tuple(ofKey), weight: 3 },
  { arbitrary: fc.tuple(ofOutcome, ofKey), weight: 1 },
);

const rarely = <Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> =>
  fc.oneof({ arbitrary: fc.constant(undefined), weight: 3 }, { arbitrary: value, weight: 1 });

const edge = fc.record({
  to: fc.constantFrom(...ids, 'exit', 'exit'),
  condition: fc.option(condition, { nil: undefined, freq: 2 }),
  weight: fc.constantFrom(0, 0, 0, 1),
  label: fc.constantFrom('', '', '', 'Go', 'Stop'),
});

const node = fc.record({
  kind: fc.constantFrom('llm', 'llm', 'tool', 'diamond') as fc.Arbitrary<ModelNode['kind']>,
  gate: fc.integer({ min: 0, max: 4 }),
  /** The next stage comes after this one, so that most can be reached. */
  isFollowed: fc.constantFrom(true, true, false),
  retryTarget: rarely(fc.constantFrom(...ids)),
  maxVisits: rarely(fc.integer({ min: 1, max: 2 })),
  continues: fc.constantFrom(false, false, false, true),
  assigns: rarely(fc.constantFrom(...words)),
  reads: fc.constantFrom(false, false, true),
  edges: fc.array(edge, { minLength: 1, maxLength: 3 }),
});

export const models: fc.Arbitrary<Model> = fc
  .record({
    nodes: fc.array(node, { minLength: 2, maxLength: ids.length }),
    first: fc.constantFrom('n0', 'n0', 'n1'),
    retryTarget: rarely(fc.constantFrom(...ids)),
    requiresGates: fc.constantFrom(false, false, false, true),
  })
  .map(({ nodes, first, retryTarget, requiresGates }) => {
    const here = ids.slice(0, nodes.length);
    const within = (id: string): string =>
      id === 'exit' ? id : (here[Number(id.slice(1)) % here.length] ?? 'exit');
    const named = nodes.map((one, index): ModelNode => {
      const isStage = one.kind !== 'diamond';
      return {
        ...one,
        id: ids[index] ?? '',
        goalGate: isStage && one.gate === 0,
        retryTarget: one.retryTarget && within(one.retryTarget),
        maxVisits: one.maxVisits,
        continues: isStage && one.continues,
        assigns: one.assigns,
        reads: one.kind === 'llm' && one.reads,
      };
    });
    return {
      nodes: new Map(named.map((one) => [one.id, one])),
      edges: nodes.flatMap(({ edges, isFollowed }, index) =>
        distinct(
          edges.map((one, nth): ModelEdge => {
            const to = nth === 0 && isFollowed ? (here[index + 1] ?? 'exit') : within(one.to);
            return { ...one, from: ids[index] ?? '', to };
          }),
        ),
      ),
      first: within(first),
      retryTarget: retryTarget && within(retryTarget),
      requiresGates,
    };
  });

/** Without edges to the same node, which are for other rules. */
function distinct(edges: readonly ModelEdge[]): readonly ModelEdge[] {
  return edges.filter(({ to }, index) => edges.findIndex((other) => other.to === to) === index);
}

const shapes = { llm: 'box', tool: 'parallelogram', diamond: 'diamond' } as const;

/** The text of a pipeline; a statement of its own for each node and edge. */
export function textOf({ nodes, edges, first, retryTarget, requiresGates }: Model): string {
  const graph = [
    retryTarget === undefined ? '' : `retry_target=${retryTarget}`,
    requiresGates ? 'require_goal_gates=true' : '',
  ];
  return [
    'digraph G {',
    `graph [${graph.filter((part) => part !== '').join(', ')}]`,
    'start [shape=Mdiamond]',
    'exit [shape=Msquare]',
    ...[...nodes.values()].map(nodeText),
    `start -> ${first}`,
    ...edges.map(edgeText),
    '}',
  ].join('\n');
}

function nodeText(node: ModelNode): string {
  const parts = [
    `shape=${shapes[node.kind]}`,
    node.kind === 'llm' ? `prompt="Work${node.reads ? ' on ${context.k}' : ''}"` : '',
    node.kind === 'tool' ? 'tool_command="./check"' : '',
    node.goalGate ? 'goal_gate=true' : '',
    node.retryTarget === undefined ? '' : `retry_target=${node.retryTarget}`,
    node.maxVisits === undefined ? '' : `max_visits=${node.maxVisits}`,
    node.continues ? 'on_failure=continue' : '',
    node.assigns === undefined ? '' : `"assign.k"="${node.assigns}"`,
  ];
  return `${node.id} [${parts.filter((part) => part !== '').join(', ')}]`;
}

function edgeText({ from, to, condition: clauses, weight, label }: ModelEdge): string {
  const parts = [
    clauses === undefined
      ? ''
      : `condition="${clauses.map(({ key, sign: how, value }) => key + how + value).join(' && ')}"`,
    weight === 0 ? '' : `weight=${weight}`,
    label === '' ? '' : `label="${label}"`,
  ];
  return `${from} -> ${to} [${parts.filter((part) => part !== '').join(', ')}]`;
}
