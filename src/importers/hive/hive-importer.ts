import type { JsonValue } from '../../graph/json.js';
import { DotWriter, NodeIds } from '../dot-writer.js';
import type { Importer, ImportResult } from '../importer.js';
import { translateExpression } from './hive-conditions.js';
import { type HiveEdge, type HiveGraph, type HiveNode, isHive, readHiveGraph } from './hive-graph.js';
import { promptOf } from './hive-prompt.js';

/** Importer of the graphs of agents of Hive (aden-hive/hive). */
export const hive: Importer = {
  name: 'hive',
  title: 'Hive',
  format: 'json',
  recognize: (text) => (isHive(text) ? 1 : 0),
  migrate: migrateHive,
};

function migrateHive(text: string): ImportResult {
  const graph = readHiveGraph(text);
  if (!('nodes' in graph)) return { kind: 'unreadable', diagnostics: graph };
  return { kind: 'migrated', ...new HiveWriter(reachableIn(graph), graph).write() };
}

class HiveWriter {
  readonly #graph: HiveGraph;
  readonly #unreachable: readonly HiveNode[];
  readonly #dot = new DotWriter();
  readonly #ids: NodeIds;
  readonly #exit: string;
  readonly #keys: ReadonlySet<string>;
  readonly #nodes: ReadonlyMap<string, HiveNode>;
  /** Sources whose edges are all followed at once. */
  readonly #forks: ReadonlySet<string>;

  /** @param whole the graph with the nodes to which nothing leads */
  constructor(graph: HiveGraph, whole: HiveGraph) {
    this.#graph = graph;
    this.#unreachable = whole.nodes.filter((node) => !graph.nodes.includes(node));
    this.#nodes = new Map(graph.nodes.map((node) => [node.id, node]));
    this.#keys = new Set(graph.nodes.flatMap(({ inputs, outputs }) => [...inputs, ...outputs]));
    const always = graph.edges
      .filter(({ condition }) => condition === 'on_success')
      .map(({ source }) => source);
    this.#forks = new Set(always.filter((source, index) => always.indexOf(source) !== index));
    this.#ids = new NodeIds(['start']);
    for (const { id } of graph.nodes) this.#ids.of(id);
    this.#exit = this.#ids.fresh('done');
  }

  write() {
    this.#writeGraph();
    for (const { id, span } of this.#unreachable)
      this.#dot.note('lost', span, `nothing leads to "${id}", so it is left out`);
    for (const node of this.#graph.nodes) this.#writeNode(node);
    this.#dot.emptyLine();
    this.#dot.edge('start', this.#ids.of(this.#graph.entry));
    for (const node of this.#graph.nodes) this.#writeEdges(node);
    return this.#dot.finish(this.#graph.id.replaceAll(/\W/g, '_').replace(/^(?=\d)/, '_'), 'Hive');
  }

  #writeGraph(): void {
    const { goal, identity, isContinuous, maxSteps, entry } = this.#graph;
    const attributes = new Map<string, JsonValue>();
    if (goal !== '') attributes.set('goal', goal);
    const inputs = this.#nodes.get(entry)?.inputs.filter((key) => /^[A-Za-z_]\w*$/.test(key)) ?? [];
    if (inputs.length > 0) attributes.set('inputs', inputs.map((key) => `${key}?`).join(', '));
    if (identity !== '') attributes.set('system_prompt', identity);
    if (isContinuous) {
      attributes.set('default_fidelity', 'full');
      attributes.set('default_thread_id', 'conversation');
    }
    if (maxSteps !== undefined) attributes.set('max_steps', Math.max(1, maxSteps));
    this.#dot.graph(attributes);
    this.#dot.node('start', new Map([['shape', 'Mdiamond']]));
    this.#dot.node(this.#exit, new Map([['shape', 'Msquare']]));
    this.#dot.emptyLine();
  }

  #writeNode(node: HiveNode): void {
    const { outputs, nullable, talks, model, attempts, maxVisits, span } = node;
    const attributes = new Map<string, JsonValue>();
    if (node.name !== '' && node.name !== node.id) attributes.set('label', node.name);
    this.#noteLosses(node);
    attributes.set('prompt', promptOf(node, this.#keys));
    const written = outputs.map((key) => (nullable.includes(key) ? `${key}?` : key));
    if (written.length > 0) attributes.set('writes', written.join(', '));
    if (attempts > 1) attributes.set('max_retries', attempts - 1);
    if (maxVisits > 0) {
      attributes.set('max_visits', maxVisits);
      this.#dot.note(
        'changed',
        span,
        `a visit of "${node.id}" above max_visits=${maxVisits} fails the run; Hive skips it`,
      );
    }
    if (talks) attributes.set('interactive', true);
    if (model !== '') attributes.set('llm_model', model);
    for (const [key, from] of this.#mappingsOf(node)) attributes.set(`assign.${key}`, `\${context.${from}}`);
    if (this.#continues(node)) attributes.set('on_failure', 'continue');
    const id = this.#ids.of(node.id);
    this.#dot.node(id, attributes);
    if (this.#graph.pauses.includes(node.id))
      this.#dot.node(
        this.#ids.of(pauseName(node.id)),
        new Map<string, JsonValue>([
          ['shape', 'hexagon'],
          ['label', `Continue after ${node.name || node.id}?`],
        ]),
      );
    if (this.#forks.has(node.id))
      this.#dot.node(
        this.#ids.of(forkName(node.id)),
        new Map<string, JsonValue>([
          ['shape', 'component'],
          ['join_policy', 'quorum'],
          ['join_quorum', 1],
          ['on_conflict', 'last_wins'],
        ]),
      );
  }

  #noteLosses({ type, tools, agents, span, id }: HiveNode): void {
    if (type === 'function' || type === 'tool_call')
      this.#dot.note(
        'changed',
        span,
        `"${id}" calls a function there; here a model does its work: a tool with a \`tool_command\` can replace it`,
      );
    if (tools.length > 0)
      this.#dot.note(
        'lost',
        span,
        `tools ${tools.join(', ')}: the model has the tools of its backend; others come from MCP servers`,
      );
    if (agents.length > 0)
      this.#dot.note(
        'lost',
        span,
        `sub-agents ${agents.join(', ')}: a stage with \`type=pipeline\` runs another pipeline`,
      );
  }

  /** Keys that edges rename: the stage before them assigns them. */
  #mappingsOf({ id }: HiveNode): readonly (readonly [key: string, from: string])[] {
    return this.#graph.edges
      .filter(({ source }) => source === id)
      .flatMap(({ mapping }) =>
        Object.entries(mapping).flatMap(([key, from]) =>
          typeof from === 'string' && from !== key && /^\w+$/.test(from) && /^\w+$/.test(key)
            ? [[key, from] as const]
            : [],
        ),
      );
  }

  /** True for a node whose edges are for failures too. */
  #continues({ id }: HiveNode): boolean {
    const own = this.#graph.edges.filter(({ source }) => source === id);
    return (
      own.some(({ condition }) => condition === 'always') &&
      own.every(({ condition }) => condition !== 'on_failure')
    );
  }

  #writeEdges(node: HiveNode): void {
    const id = this.#ids.of(node.id);
    const isFork = this.#forks.has(node.id);
    const isPaused = this.#graph.pauses.includes(node.id);
    if (isFork) this.#writeFork(node, isPaused);
    const resumed = isPaused ? this.#graph.resumptions.get(node.id) : undefined;
    if (resumed !== undefined && this.#nodes.has(resumed)) {
      this.#dot.edge(id, this.#ids.of(pauseName(node.id)));
      this.#dot.edge(this.#ids.of(pauseName(node.id)), this.#ids.of(resumed));
    }
    const known = this.#graph.edges.filter((edge) => edge.source === node.id && this.#isKnown(edge));
    const paused = new Set<string>();
    for (const edge of known) {
      const isBranch = isFork && edge.condition === 'on_success';
      if (isBranch) this.#dot.edge(this.#ids.of(forkName(node.id)), this.#target(edge));
      else if (isPaused) this.#writePaused(node, edge, paused);
      else this.#dot.edge(id, this.#target(edge), this.#attributesOf(edge));
    }
    for (const [label, target] of Object.entries(node.routes))
      if (typeof target === 'string' && this.#nodes.has(target))
        this.#dot.edge(id, this.#ids.of(target), new Map([['label', label]]));
    this.#writeEnd(node, known.length > 0 || resumed !== undefined || Object.keys(node.routes).length > 0);
  }

  #writeFork(node: HiveNode, isPaused: boolean): void {
    const fork = this.#ids.of(forkName(node.id));
    const gate = this.#ids.of(pauseName(node.id));
    const onSuccess = new Map([['condition', 'outcome=success']]);
    this.#dot.edge(this.#ids.of(node.id), isPaused ? gate : fork, onSuccess);
    if (isPaused) this.#dot.edge(gate, fork);
  }

  /** A person continues the run: the conditions lead to the gate, whose edges have the targets as labels. */
  #writePaused(node: HiveNode, edge: HiveEdge, paused: Set<string>): void {
    const gate = this.#ids.of(pauseName(node.id));
    const attributes = this.#attributesOf(edge);
    const key = JSON.stringify([...attributes]);
    if (!paused.has(key)) this.#dot.edge(this.#ids.of(node.id), gate, attributes);
    paused.add(key);
    this.#dot.edge(gate, this.#target(edge), new Map([['label', edge.target || 'End']]));
  }

  #writeEnd(node: HiveNode, hasEdges: boolean): void {
    const { terminals, nodes } = this.#graph;
    const id = this.#ids.of(node.id);
    if (terminals.includes(node.id)) return this.#dot.edge(id, this.#exit);
    if (!hasEdges) {
      if (terminals.length > 0)
        this.#dot.note('changed', node.span, `nothing leaves "${node.id}": the run ends after it`);
      return this.#dot.edge(id, this.#exit);
    }
    const isEndless = terminals.length === 0 && node === nodes.at(-1);
    if (!isEndless || this.#graph.edges.some(({ target }) => target === '')) return undefined;
    if (nodes.some((one) => one !== node && !this.#graph.edges.some(({ source }) => source === one.id)))
      return undefined;
    this.#dot.note(
      'changed',
      node.span,
      'nothing ends this graph but its limit of steps: the edge to the exit is never taken',
    );
    this.#dot.edge(id, this.#exit, new Map([['condition', 'false']]));
  }

  #attributesOf(edge: HiveEdge): ReadonlyMap<string, JsonValue> {
    const attributes = new Map<string, JsonValue>();
    const condition = this.#conditionOf(edge);
    if (condition !== undefined) attributes.set('condition', condition);
    if (edge.condition === 'llm_decide') {
      attributes.set('label', edge.target || 'End');
      this.#dot.note(
        'changed',
        edge.span,
        `the model of "${edge.source}" chooses by the label; there, another request to a model decides`,
      );
    }
    const isAlone = this.#graph.edges.filter(({ source }) => source === edge.source).length === 1;
    if (edge.priority !== 0 && !isAlone) attributes.set('weight', edge.priority);
    return attributes;
  }

  #conditionOf({ condition, expression, span }: HiveEdge): string | undefined {
    switch (condition) {
      case 'always':
      case 'on_start':
      case 'llm_decide':
        return undefined;
      case 'on_success':
        return 'outcome=success';
      case 'on_failure':
        return 'outcome=fail';
      default: {
        const python = condition === 'conditional' ? expression : condition;
        const translated = translateExpression(python, this.#keys);
        if (translated === undefined) {
          this.#dot.note(
            'lost',
            span,
            `the condition ${JSON.stringify(python)} has no counterpart: the edge is never taken`,
          );
          return 'false';
        }
        if (translated.undefinedName !== undefined)
          this.#dot.note(
            'changed',
            span,
            `the condition ${JSON.stringify(python)} is never true: nothing sets "${translated.undefinedName}"`,
          );
        return translated.condition === 'false' ? 'false' : guarded(translated.condition);
      }
    }
  }

  #isKnown({ source, target, span }: HiveEdge): boolean {
    if (target === '' || this.#nodes.has(target)) return true;
    this.#dot.note('lost', span, `the edge from "${source}" to "${target}": there is no such node`);
    return false;
  }

  #target({ target }: HiveEdge): string {
    return target === '' ? this.#exit : this.#ids.of(target);
  }
}

const pauseName = (id: string): string => `pause_${id}`;
const forkName = (id: string): string => `fork_${id}`;

/** Conditions are only for successes. */
function guarded(condition: string): string {
  const isOpen = condition.replaceAll(/\([^()]*\)/g, '').includes('||');
  return isOpen ? `outcome=success && (${condition})` : `outcome=success && ${condition}`;
}

/** Graph without the nodes to which no edge leads: sub-agents, and what has an entry of its own. */
function reachableIn(graph: HiveGraph): HiveGraph {
  const reached = new Set([graph.entry]);
  for (const id of reached) {
    for (const { source, target } of graph.edges) if (source === id) reached.add(target);
    const resumed = graph.pauses.includes(id) ? graph.resumptions.get(id) : undefined;
    if (resumed !== undefined) reached.add(resumed);
    for (const target of Object.values(graph.nodes.find((node) => node.id === id)?.routes ?? {}))
      if (typeof target === 'string') reached.add(target);
  }
  return {
    ...graph,
    nodes: graph.nodes.filter(({ id }) => reached.has(id)),
    edges: graph.edges.filter(({ source }) => reached.has(source)),
    terminals: graph.terminals.filter((id) => reached.has(id)),
  };
}
