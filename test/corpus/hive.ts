import { migrate } from '../../src/importers/migrate.js';

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

/** Id in Hive of a migrated node; undefined for a node that migration has added. */
export function hiveIdOf(id: string, { nodes }: HiveGraph): string | undefined {
  return nodes.find((node) => node.id === id || `${node.id}_` === id)?.id;
}

/** The migrated graph, with what an executor of Hive is given besides it. */
export function hivePipeline(graph: HiveGraph, parallel: HiveParallel = {}, isParallel = true): string {
  const {
    on_branch_failure = 'fail_all',
    memory_conflict_strategy = 'last_wins',
    branch_timeout_seconds: timeout,
  } = parallel;
  const result = migrate(JSON.stringify(isParallel ? graph : oneAfterTheOther(graph)))?.result;
  if (result?.kind !== 'migrated') throw new Error('not migrated');
  const text = result.text.replaceAll('on_conflict=last_wins', `on_conflict=${memory_conflict_strategy}`);
  const tolerant = text.replaceAll('join_policy=quorum, join_quorum=1, ', '');
  const joined = on_branch_failure === 'fail_all' ? text : tolerant;
  return timeout === undefined ? joined : withTimeout(joined, timeout);
}

/** Without parallel execution, Hive takes the first of the edges that a success may take. */
function oneAfterTheOther(graph: HiveGraph): HiveGraph {
  const edges = graph.edges.map((edge) =>
    edge.condition === 'on_success'
      ? { ...edge, condition: 'conditional' as const, condition_expr: 'True' }
      : edge,
  );
  return { ...graph, edges };
}

/** Sets the time limit of the stages that begin branches. */
function withTimeout(text: string, seconds: number): string {
  const branches = new Set([...text.matchAll(/^ *fork_\w+ -> (\w+)$/gm)].map(([, id]) => id));
  return text.replaceAll(/^( *)(\w+) \[(?=\n|label|prompt)/gm, (whole, indent: string, id: string) =>
    branches.has(id) ? `${indent}${id} [timeout="${seconds * 1000}ms", ` : whole,
  );
}
