import type { JsonValue } from '../../src/graph/json.js';

/** A graph of Hive, as far as its runs depend on it. */
export interface HiveGraph {
  readonly id: string;
  readonly entry_node: string;
  readonly terminal_nodes: readonly string[];
  readonly pause_nodes: readonly string[];
  readonly max_steps: number;
  readonly nodes: readonly HiveNode[];
  readonly edges: readonly HiveEdge[];
}

interface HiveNode {
  readonly id: string;
  readonly input_keys: readonly string[];
  readonly output_keys: readonly string[];
  readonly nullable_output_keys: readonly string[];
  /** Attempts, not repetitions. */
  readonly max_retries: number;
  /** 0 for any number. */
  readonly max_node_visits: number;
}

interface HiveEdge {
  readonly source: string;
  readonly target: string;
  readonly condition: 'always' | 'on_success' | 'on_failure' | 'conditional';
  readonly condition_expr: string | null;
  readonly priority: number;
  readonly input_mapping: Readonly<Record<string, string>>;
}

export interface HiveParallel {
  readonly on_branch_failure?: 'fail_all' | 'continue_others' | 'wait_all';
  readonly memory_conflict_strategy?: 'last_wins' | 'first_wins' | 'error';
  readonly branch_timeout_seconds?: number;
}

/** The parallel node in front of the branches that leave a node. */
const fanOf = (source: string): string => `fan_of_${source}`;

/** Ids that Hive does not have: `start` and `end` are ordinary ones there. */
const idOf = (hiveId: string): string => `n_${hiveId}`;
export const hiveIdOf = (id: string): string | undefined => /^n_(.*)$/.exec(id)?.[1];

/** The same pipeline in DOT. Each of its nodes has the type `custom`. */
export function hivePipeline(graph: HiveGraph, parallel: HiveParallel = {}, isParallel = true): string {
  const statements = [
    `max_steps=${graph.max_steps}`,
    'begin [shape=Mdiamond]; done [shape=Msquare]',
    'node [type=custom]',
    `begin -> ${idOf(graph.entry_node)}`,
  ];
  const fans = isParallel ? fanOuts(graph) : new Set<string>();
  for (const node of graph.nodes) {
    const isBranch = graph.edges.some(({ source, target }) => fans.has(source) && target === node.id);
    statements.push(nodeStatement(graph, node, isBranch ? parallel.branch_timeout_seconds : undefined));
    if (graph.pause_nodes.includes(node.id)) statements.push(`pause_${node.id} [type="wait.human"]`);
    if (graph.terminal_nodes.includes(node.id) || isWithoutEnd(graph, node))
      statements.push(
        `${idOf(node.id)} -> done${graph.terminal_nodes.length === 0 ? ' [condition="false"]' : ''}`,
      );
  }
  for (const source of fans) {
    const { on_branch_failure = 'fail_all', memory_conflict_strategy = 'last_wins' } = parallel;
    const policy = on_branch_failure === 'fail_all' ? 'join_policy=quorum, join_quorum=1, ' : '';
    statements.push(
      `${fanOf(source)} [shape=component, type=parallel, ${policy}on_conflict=${memory_conflict_strategy}]`,
      `${idOf(source)} -> ${fanOf(source)} [condition="outcome=success"]`,
    );
  }
  for (const edge of graph.edges) statements.push(edgeStatement(graph, edge, fans.has(edge.source)));
  return `digraph hive {\n${statements.join('\n')}\n}`;
}

/** Nodes with several edges that are followed at once. */
function fanOuts({ edges }: HiveGraph): ReadonlySet<string> {
  const sources = edges.filter(({ condition }) => condition === 'on_success').map(({ source }) => source);
  return new Set(sources.filter((source, index) => sources.indexOf(source) !== index));
}

/** True for the last node of a graph that never ends: here a way to the exit is there, if only for the look of it. */
function isWithoutEnd({ terminal_nodes, nodes }: HiveGraph, node: HiveNode): boolean {
  return terminal_nodes.length === 0 && node === nodes.at(-1);
}

function nodeStatement(graph: HiveGraph, node: HiveNode, timeout: number | undefined): string {
  const { nullable_output_keys: nullable, output_keys: outputs } = node;
  const attributes = [
    `writes="${outputs.map((key) => (nullable.includes(key) ? `${key}?` : key)).join(', ')}"`,
    `max_retries=${node.max_retries - 1}`,
  ];
  if (node.max_node_visits > 0) attributes.push(`max_visits=${node.max_node_visits}`);
  if (timeout !== undefined) attributes.push(`timeout="${timeout * 1000}ms"`);
  for (const { source, input_mapping } of graph.edges) {
    if (source !== node.id) continue;
    for (const [key, from] of Object.entries(input_mapping))
      attributes.push(`"assign.${key}"="\${context.${from}}"`);
  }
  return `${idOf(node.id)} [${attributes.join(', ')}]`;
}

function edgeStatement(graph: HiveGraph, edge: HiveEdge, isBranch: boolean): string {
  const { source, target, priority } = edge;
  const to = idOf(target);
  if (isBranch) return `${fanOf(source)} -> ${to}`;
  const attributes = [`weight=${priority}`];
  const condition = conditionOf(edge);
  if (condition !== undefined) attributes.push(`condition="${condition}"`);
  const from = idOf(source);
  if (!graph.pause_nodes.includes(source)) return `${from} -> ${to} [${attributes.join(', ')}]`;
  return `${from} -> pause_${source} [${attributes.join(', ')}]; pause_${source} -> ${to}`;
}

function conditionOf({ condition, condition_expr: expression }: HiveEdge): string | undefined {
  switch (condition) {
    case 'always':
      return undefined;
    case 'on_success':
      return 'outcome=success';
    case 'on_failure':
      return 'outcome=fail';
    case 'conditional':
      return `outcome=success && ${translated(expression ?? '')}`;
  }
}

/** The expressions of these graphs, in Python there. */
function translated(expression: string): string {
  const [, asked, value] = /^output\.get\('(\w+)'\) == (.+)$/.exec(expression) ?? [];
  if (asked !== undefined) return `context.${asked}=${literal(value ?? '')}`;
  const [, present] = /^(\w+) is not None$/.exec(expression) ?? [];
  if (present !== undefined) return `exists context.${present}`;
  const [, key, test] = /^(\w+) ([<>] \d+)$/.exec(expression) ?? [];
  if (key !== undefined) return `context.${key} ${test}`;
  throw new Error(`no translation of ${expression}`);
}

function literal(python: string): JsonValue {
  if (python === 'True' || python === 'False') return python.toLowerCase();
  return python.replaceAll("'", '');
}
