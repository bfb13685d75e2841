import type { Diagnostic } from '../../diagnostic/diagnostic.js';
import type { Span } from '../../diagnostic/source.js';
import type { JsonValue } from '../../graph/json.js';
import { problem, readStructured, type StructuredSource } from '../structured-source.js';

export type HiveMap = Readonly<Record<string, JsonValue>>;

/** GraphSpec of Hive, in the spellings of its versions. */
export interface HiveGraph {
  readonly id: string;
  readonly goal: string;
  readonly identity: string;
  readonly isContinuous: boolean;
  readonly entry: string;
  readonly terminals: readonly string[];
  /** Nodes with which a run continues after a pause, by the node that pauses. */
  readonly resumptions: ReadonlyMap<string, string>;
  readonly pauses: readonly string[];
  readonly maxSteps: number | undefined;
  readonly nodes: readonly HiveNode[];
  readonly edges: readonly HiveEdge[];
}

export interface HiveNode {
  readonly id: string;
  readonly type: string;
  readonly name: string;
  readonly prompt: string;
  readonly criteria: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly nullable: readonly string[];
  readonly tools: readonly string[];
  readonly agents: readonly string[];
  readonly model: string;
  /** Attempts; 0 if nothing says. */
  readonly attempts: number;
  readonly maxVisits: number;
  readonly talks: boolean;
  readonly routes: HiveMap;
  readonly span: Span;
}

export interface HiveEdge {
  readonly source: string;
  /** Empty for the end of the run. */
  readonly target: string;
  readonly condition: string;
  readonly expression: string;
  readonly priority: number;
  readonly mapping: HiveMap;
  readonly description: string;
  readonly span: Span;
}

export function isHive(text: string): boolean {
  return (
    /^\s*\{/.test(text) && /"nodes"\s*:/.test(text) && /"(?:edges|entry_node|terminal_nodes)"\s*:/.test(text)
  );
}

/** Reads a graph; errors for what is not one. */
export function readHiveGraph(text: string): HiveGraph | readonly Diagnostic[] {
  const source = readStructured(text, 'json');
  if (!('spanOf' in source)) return source;
  const root = mapOf(source.value);
  const path = Array.isArray(mapOf(root.graph).nodes) ? ['graph'] : [];
  const graph = path.length > 0 ? mapOf(root.graph) : root;
  const nodes = listOf(graph.nodes).map((node, index) =>
    readNode(mapOf(node), source, [...path, 'nodes', index]),
  );
  if (nodes.length === 0)
    return [problem(source.spanOf([...path, 'nodes']).start, 'not a Hive graph: it has no nodes')];
  const unnamed = nodes.find(({ id }) => id === '');
  if (unnamed !== undefined) return [problem(unnamed.span.start, 'this node has no "id"', unnamed.span.end)];
  const entry = textOf(graph.entry_node) || textOf(mapOf(graph.entry_points).start) || (nodes[0]?.id ?? '');
  if (!nodes.some(({ id }) => id === entry))
    return [
      problem(
        source.spanOf([...path, 'entry_node']).start,
        `"entry_node" names "${entry}", which is not a node`,
      ),
    ];
  const goal = mapOf(root.goal ?? graph.goal);
  return {
    id: textOf(graph.id) || textOf(mapOf(root.agent).id) || textOf(root.name) || 'hive_graph',
    goal:
      textOf(goal.description) || textOf(goal.name) || textOf(graph.description) || textOf(root.description),
    identity: textOf(graph.identity_prompt),
    isContinuous: graph.conversation_mode === 'continuous',
    entry,
    terminals: textsOf(graph.terminal_nodes),
    resumptions: resumptionsOf(mapOf(graph.entry_points)),
    pauses: textsOf(graph.pause_nodes),
    maxSteps: typeof graph.max_steps === 'number' ? graph.max_steps : undefined,
    nodes,
    edges: listOf(graph.edges).map((edge, index) => readEdge(mapOf(edge), source, [...path, 'edges', index])),
  };
}

/** `{ "gate_resume": "after" }` */
function resumptionsOf(entryPoints: HiveMap): ReadonlyMap<string, string> {
  const found = Object.entries(entryPoints).flatMap(([name, node]) => {
    const paused = /^(.*)_resume$/.exec(name)?.[1];
    return paused === undefined || typeof node !== 'string' ? [] : [[paused, node] as const];
  });
  return new Map(found);
}

function readNode(node: HiveMap, source: StructuredSource, path: readonly (string | number)[]): HiveNode {
  return {
    id: textOf(node.id) || textOf(node.node_id),
    type: textOf(node.node_type) || textOf(node.type) || 'event_loop',
    name: textOf(node.name),
    prompt: textOf(node.system_prompt) || textOf(node.description),
    criteria: textOf(node.success_criteria),
    inputs: textsOf(node.input_keys),
    outputs: textsOf(node.output_keys),
    nullable: textsOf(node.nullable_output_keys),
    tools: [...textsOf(node.tools), ...(textOf(node.tool) || [])],
    agents: textsOf(node.sub_agents),
    model: textOf(node.model),
    attempts: typeof node.max_retries === 'number' ? node.max_retries : 0,
    maxVisits: typeof node.max_node_visits === 'number' ? node.max_node_visits : 0,
    talks: node.client_facing === true,
    routes: mapOf(node.routes),
    span: source.spanOf(path),
  };
}

function readEdge(edge: HiveMap, source: StructuredSource, path: readonly (string | number)[]): HiveEdge {
  const target = textOf(edge.target) || textOf(edge.to);
  return {
    source: textOf(edge.source) || textOf(edge.from),
    target: target === 'END' || target === '__end__' ? '' : target,
    condition: textOf(edge.condition) || 'always',
    expression: textOf(edge.condition_expr),
    priority: typeof edge.priority === 'number' ? edge.priority : 0,
    mapping: mapOf(edge.input_mapping),
    description: textOf(edge.description),
    span: source.spanOf(path),
  };
}

function mapOf(value: JsonValue | undefined): HiveMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as HiveMap) : {};
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value.trim() : '';
}

function textsOf(value: JsonValue | undefined): readonly string[] {
  return listOf(value).filter((one) => typeof one === 'string');
}
