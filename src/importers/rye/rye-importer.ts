import type { JsonValue } from '../../graph/json.js';
import { DotWriter, NodeIds } from '../dot-writer.js';
import type { Importer, ImportResult } from '../importer.js';
import { translateCondition } from './rye-conditions.js';
import { isRye, listOf, mapOf, type RyeGraph, type RyeNode, readRyeGraph, textOf } from './rye-graph.js';
import { inputList } from './rye-inputs.js';
import { resultOf, stageOf } from './rye-stages.js';
import { translateText, translateValue, type ValuePlace } from './rye-values.js';

/** Importer of the state graphs of Rye (leolilley/ryeos). */
export const rye: Importer = {
  name: 'rye',
  title: 'Rye',
  format: 'yaml',
  recognize: (text) => (isRye(text) ? 1 : 0),
  migrate: migrateRye,
};

function migrateRye(text: string): ImportResult {
  const graph = readRyeGraph(text);
  if (!('nodes' in graph)) return { kind: 'unreadable', diagnostics: graph };
  const name = /^\s*(?:tool_id|id|name)\s*:\s*["']?([\w-]+)/m.exec(text)?.[1] ?? 'rye_graph';
  return { kind: 'migrated', ...new RyeWriter(graph).write(name) };
}

class RyeWriter {
  readonly #graph: RyeGraph;
  readonly #dot = new DotWriter();
  readonly #ids: NodeIds;
  readonly #exit: string;
  readonly #collected: ReadonlySet<string>;
  readonly #byName: ReadonlyMap<string, RyeNode>;

  constructor(graph: RyeGraph) {
    this.#graph = graph;
    this.#byName = new Map(graph.nodes.map((node) => [node.name, node]));
    this.#collected = new Set(graph.nodes.flatMap(({ collect }) => collect ?? []));
    this.#ids = new NodeIds(['start']);
    const [end] = graph.nodes.filter(({ kind }) => kind === 'return');
    this.#exit = end === undefined ? this.#ids.fresh('done') : this.#ids.of(end.name);
  }

  write(name: string) {
    this.#writeGraph();
    this.#writeStart();
    for (const node of this.#graph.nodes) if (node.kind !== 'return') this.#writeNode(node);
    this.#dot.emptyLine();
    this.#dot.edge('start', this.#target(this.#graph.start));
    for (const node of this.#graph.nodes) if (node.kind !== 'return') this.#writeEdges(node);
    return this.#dot.finish(name.replaceAll(/\W/g, '_').replace(/^(?=\d)/, '_'), 'Rye');
  }

  #writeGraph(): void {
    const { description, environment, maxSteps, continues, hasPermissions, hooks } = this.#graph;
    if (hasPermissions)
      this.#lost(
        ['permissions'],
        'permissions: `tools` of a stage lists those of its model; commands have no such limits',
      );
    const retries = this.#retriesOf(hooks);
    const attributes = new Map<string, JsonValue>();
    if (description !== '') attributes.set('goal', description);
    const inputs = inputList(this.#graph, (message) => this.#lost(['config_schema'], message));
    if (inputs !== '') attributes.set('inputs', inputs);
    if (environment.length > 0) attributes.set('env_requires', [...new Set(environment)].join(', '));
    attributes.set('max_steps', Math.max(1, maxSteps));
    attributes.set('on_failure', continues ? 'continue' : 'stop');
    this.#dot.graph(attributes);
    if (retries !== undefined) this.#dot.nodeDefaults(new Map([['max_retries', retries]]));
  }

  /** Retries that a hook for errors asks for; other hooks are lost. */
  #retriesOf(hooks: RyeGraph['hooks']): number | undefined {
    let retries: number | undefined;
    hooks.forEach((hook, index) => {
      const { item_id: id, params, retry, max_retries: shortCount } = mapOf(hook.action);
      const { action, max_retries: count = shortCount } = mapOf(params);
      const asksForRetry = retry === true || (textOf(id).endsWith('/control') && action === 'retry');
      const isRetry = hook.event === 'error' && asksForRetry;
      if (isRetry && typeof count === 'number') retries = count;
      if (!isRetry || hook.condition !== undefined)
        this.#lost(
          ['config', 'hooks', index],
          `the hook for "${textOf(hook.event)}": hooks are not part of the language; \`run --events\` prints every event`,
        );
    });
    return retries;
  }

  #writeStart(): void {
    const attributes = new Map<string, JsonValue>([['shape', 'Mdiamond']]);
    const place = this.#place(undefined, ['config', 'state']);
    for (const [key, value] of Object.entries(this.#graph.state)) this.#assign(attributes, key, value, place);
    this.#dot.node('start', attributes);
    this.#dot.node(this.#exit, new Map([['shape', 'Msquare']]));
    this.#dot.emptyLine();
  }

  #writeNode(node: RyeNode): void {
    for (const key of ['cache', 'cache_result'])
      if (node.written[key] === true)
        this.#lost(['config', 'nodes', node.name, key], `${key}: results are not kept between runs`);
    if (node.kind === 'foreach') return this.#writeForeach(node);
    const place = this.#place(node);
    const attributes = new Map<string, JsonValue>([['shape', 'diamond']]);
    if (node.kind === 'action') {
      attributes.clear();
      this.#addStage(attributes, node, place);
    }
    const outputs = outputsOf(node);
    if (place.result === 'model' && outputs.length > 0) attributes.set('writes', outputs.join(', '));
    for (const [key, value] of Object.entries(node.assign)) {
      // What a model reports has the name already.
      if (place.result === 'model' && value === `\${result.outputs.${key}}`) continue;
      this.#assign(attributes, key, value, place);
    }
    if (node.onError === 'continue') attributes.set('on_failure', 'continue');
    if (node.onError === 'fail') attributes.set('on_failure', 'stop');
    this.#dot.node(this.#ids.of(node.name), attributes);
  }

  #addStage(attributes: Map<string, JsonValue>, node: RyeNode, place: ValuePlace): void {
    const stage = stageOf(node, place);
    if (stage.changed !== undefined) this.#dot.note('changed', node.span, stage.changed);
    for (const [name, value] of stage.attributes) attributes.set(name, value);
  }

  /** A node that runs its action for each item becomes three: the fork, the branch, and the place where branches meet. */
  #writeForeach(node: RyeNode): void {
    const id = this.#ids.of(node.name);
    const [item, join] = [this.#ids.of(itemName(node)), this.#ids.of(joinName(node))];
    const list = translateText(node.over, this.#place(undefined, ['config', 'nodes', node.name, 'over']));
    const fork = new Map<string, JsonValue>([
      ['shape', 'component'],
      ['foreach', list],
      ['as', node.as],
      ['join', join],
    ]);
    if (!node.isParallel) fork.set('max_parallel', 1);
    this.#dot.node(id, fork);
    const branch = new Map<string, JsonValue>();
    this.#addStage(branch, node, { ...this.#place(node), item: node.as });
    this.#dot.node(item, branch);
    const after = new Map<string, JsonValue>([['shape', 'diamond']]);
    if (node.collect !== undefined) {
      after.set(`assign.${node.collect}`, '${parallel.results.*.context_updates}');
      this.#dot.note(
        'changed',
        node.span,
        `${node.collect} is the list of what the branches set, without results of failed ones`,
      );
    }
    this.#dot.node(join, after);
  }

  #assign(attributes: Map<string, JsonValue>, key: string, value: JsonValue, place: ValuePlace): void {
    attributes.set(`assign.${key}`, value === null ? '${context.missing}' : translateValue(value, place));
  }

  #writeEdges(node: RyeNode): void {
    const id = this.#ids.of(node.name);
    const isForeach = node.kind === 'foreach';
    const from = isForeach ? this.#ids.of(joinName(node)) : id;
    if (isForeach) {
      const item = this.#ids.of(itemName(node));
      this.#dot.edge(id, item);
      this.#dot.edge(item, from);
    }
    const next = node.next.filter(({ to }) => this.#isKnown(node, to));
    next.forEach((edge, index) => {
      const attributes = new Map<string, JsonValue>();
      const condition = this.#condition(node, edge);
      if (condition !== undefined) attributes.set('condition', condition);
      if (next.length > 1) attributes.set('weight', next.length - index);
      this.#dot.edge(from, this.#target(edge.to), attributes);
    });
    const { onError } = node;
    if (onError !== undefined && onError !== 'continue' && onError !== 'fail' && this.#isKnown(node, onError))
      this.#dot.edge(
        from,
        this.#target(onError),
        new Map<string, JsonValue>([
          ['condition', 'outcome=fail'],
          ['weight', 1000],
        ]),
      );
    if (next.length === 0) {
      this.#dot.note(
        'changed',
        node.span,
        `"${node.name}" leads nowhere, which ends a graph of Rye as failed; here the run ends well`,
      );
      this.#dot.edge(from, this.#exit);
    } else if (node === this.#graph.nodes.at(-1) && !this.#endsSomewhere()) {
      this.#dot.note(
        'changed',
        node.span,
        'nothing ends this graph but its limit of steps: the edge to the exit is never taken',
      );
      this.#dot.edge(from, this.#exit, new Map([['condition', 'false']]));
    }
  }

  #endsSomewhere(): boolean {
    return this.#graph.nodes.some(({ kind, next }) => kind === 'return' || next.length === 0);
  }

  #isKnown(node: RyeNode, to: string): boolean {
    if (this.#byName.has(to)) return true;
    this.#dot.note('lost', node.span, `the edge from "${node.name}" to "${to}": there is no such node`);
    return false;
  }

  /** A failed stage must not take a condition that is for a success, unless the graph continues after failures. */
  #condition(node: RyeNode, { to, when }: RyeNode['next'][number]): string | undefined {
    const mayFail = node.kind === 'action';
    const isGuarded = mayFail && !this.#graph.continues && node.onError !== 'continue';
    if (when === undefined) {
      const intoDiamond = this.#byName.get(to)?.kind === 'gate';
      return isGuarded && intoDiamond ? 'outcome!=fail' : undefined;
    }
    const condition = translateCondition(when, this.#place(node)) ?? 'false';
    if (!isGuarded) return condition;
    return condition.includes('||') ? `outcome!=fail && (${condition})` : `outcome!=fail && ${condition}`;
  }

  /** Node to which an edge leads: of several ends, the exit. */
  #target(name: string): string {
    return this.#byName.get(name)?.kind === 'return' ? this.#exit : this.#ids.of(name);
  }

  #place(node: RyeNode | undefined, path?: readonly (string | number)[]): ValuePlace {
    return {
      result: node === undefined ? 'none' : resultOf(node),
      collected: this.#collected,
      lost: (message) => this.#lost(path ?? ['config', 'nodes', node?.name ?? ''], message),
    };
  }

  #lost(path: readonly (string | number)[], message: string): void {
    this.#dot.note('lost', this.#graph.spanOf(path), message);
  }
}

const itemName = ({ name }: RyeNode): string => `${name}_item`;
const joinName = ({ name }: RyeNode): string => `${name}_join`;

/** Outputs of a directive that the graph reads. */
function outputsOf({ assign }: RyeNode): readonly string[] {
  const read = JSON.stringify(listOf(Object.values(assign))).matchAll(/\$\{result\.outputs\.(\w+)/g);
  return [...new Set([...read].flatMap(([, name]) => name ?? []))];
}
