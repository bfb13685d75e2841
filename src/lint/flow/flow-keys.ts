import { keysOf } from '../../graph/evaluate-condition.js';
import type { Graph } from '../../graph/graph.js';
import type { JsonValue } from '../../graph/json.js';
import { foreachOf, itemIndexKey } from '../../graph/parallel.js';
import type { ProgramNode } from '../../graph/program.js';
import type { Assignment } from '../../graph/values/assignments.js';
import { declaredInputs } from '../../graph/values/declared-inputs.js';
import { isAuthorsKey } from '../../graph/values/handler-keys.js';
import type { Condition } from '../../parser/condition/ast.js';
import { clausesOf } from '../../parser/condition/clauses-of.js';
import type { Clause } from '../../parser/condition/print.js';
import type { ValueType } from '../../parser/key-list/ast.js';
import { attributeOwners } from '../attribute-owners.js';
import { Atoms, formulaOf } from '../conditions/formula.js';
import { representatives } from '../conditions/representatives.js';
import { typedValues } from '../conditions/typed-values.js';
import { flatKey } from '../conditions/variable.js';
import { isEngineKey, isOfOutcome } from './engine-keys.js';
import { resultsKey } from './flow-forks.js';
import type { FlowValues } from './flow-state.js';
import { beginningsOf, type InputValues, inputPrefix, inputRead, inputValues } from './input-values.js';
import { type ListInput, listInputs, triedLists } from './list-inputs.js';
import { passOn } from './passed-on.js';
import { routedKey, routedNode } from './routed-node.js';

/** Keys of the context on which routes depend, each with one value for all that no condition distinguishes. */
export interface FlowKeys {
  readonly values: ReadonlyMap<string, readonly JsonValue[]>;
  /** False if some values are not known to be all: then a search cannot prove that something never happens. */
  readonly isExact: boolean;
  /** Paths in conditions of which some values are not known. */
  readonly doubtful: ReadonlySet<string>;
  /** Values with which runs may begin: those of the inputs that conditions read. */
  readonly beginnings: readonly FlowValues[];
  /** True for an assignment of which the values cover all that it may set. */
  isCovered(assignment: Pick<Assignment, 'key' | 'value'>): boolean;
  /** True for a condition of which the search knows every value. */
  isFollowed(condition: Condition): boolean;
}

export interface KeyOptions {
  /** Another key, of which only matters whether it is set. */
  readonly extra?: string | undefined;
  /** True for a search that itself begins with inputs and keeps what the engine knows of stages. */
  readonly ofEngine?: boolean;
}

/** Keys that tools and gates set, which the search knows. */
const ofHandlers: ReadonlySet<string> = new Set([
  'tool.output',
  'tool.last_line',
  'tool.exit_code',
  'human.gate.selected',
  'human.gate.label',
  'human.gate.target',
  // They count the branches at a join.
  'parallel.count',
  'parallel.success_count',
  'parallel.fail_count',
]);

/** Finds the keys of all conditions of a graph. */
export function flowKeysOf(
  graph: Graph,
  nodes: readonly ProgramNode[],
  { extra, ofEngine = false }: KeyOptions = {},
): FlowKeys {
  const all = nodes.flatMap((node) => conditionsOf(node, ofEngine));
  const found = new FoundKeys(graph, nodes, all, ofEngine);
  const { values, doubtful } = found;
  for (const key of listKeys(nodes)) {
    if (found.isOfContext(key)) values.set(key, [...(values.get(key) ?? []), ...listValues]);
  }
  if (ofEngine) for (const one of listInputs(graph, nodes)) found.followList(one);
  if (nodes.some(({ handler }) => handler.joins)) values.set(resultsKey, []);
  if (extra !== undefined && !values.has(extra)) values.set(extra, [extra === 'tool.exit_code' ? 0 : 'set']);
  const isCovered = passOn(
    nodes,
    values,
    found.atoms.all,
    (key) => found.isOfContext(key) && !/^(?:human|parallel)\./.test(key),
  );
  const assignments = nodes.flatMap(({ ownRules }) => ownRules?.assignments ?? []);
  const { beginnings, areAll } = beginningsOf(found.inputs, (key) => values.has(key));
  return {
    values,
    // A comparison of two keys depends on more than the values that each is compared with.
    isExact:
      doubtful.size === 0 &&
      areAll &&
      assignments.every((one) => !values.has(one.key) || isCovered(one)) &&
      found.atoms.all.every(({ variable }) => variable.kind === 'key'),
    doubtful,
    beginnings,
    isCovered,
    isFollowed: (condition) => pathsOf(condition).every((path) => found.isFollowed(path)),
  };
}

/** Keys of the conditions of a graph, with their values. */
class FoundKeys {
  readonly atoms = new Atoms();
  readonly values = new Map<string, JsonValue[]>();
  readonly doubtful = new Set<string>();
  readonly inputs = new Map<string, InputValues>();
  readonly #graph: Graph;
  readonly #nodes: readonly ProgramNode[];
  readonly #ofEngine: boolean;
  readonly #flat: ReadonlySet<string>;
  /** Keys that stages set as a whole. */
  readonly #wholes: ReadonlySet<string>;
  readonly #followed = new Set<string>();

  constructor(
    graph: Graph,
    nodes: readonly ProgramNode[],
    conditions: readonly Condition[],
    ofEngine: boolean,
  ) {
    this.#graph = graph;
    this.#nodes = nodes;
    this.#ofEngine = ofEngine;
    this.#wholes = new Set(nodes.flatMap(({ ownRules }) => keysSetBy(ownRules)));
    for (const condition of conditions) formulaOf(condition, this.atoms);
    const paths = new Set(conditions.flatMap(pathsOf));
    this.#flat = new Set([...paths].map(flatKey));
    for (const path of paths) if (this.#follow(path)) this.#followed.add(path);
  }

  isFollowed(path: string): boolean {
    return this.#followed.has(path);
  }

  isOfContext(key: string): boolean {
    return isFollowedKey(this.#graph, key, this.#flat) && !isPartOf(this.#wholes, key);
  }

  #follow(path: string): boolean {
    const key = flatKey(path);
    if (isOfOutcome(path)) return this.#ofEngine || !path.includes('.');
    if (this.#ofEngine && isEngineKey(path, this.#nodes, this.#testsOf(path))) {
      this.#note(path);
      return true;
    }
    if (this.#ofEngine && path === routedNode) {
      this.values.set(routedKey, []);
      return true;
    }
    const input = this.#ofEngine ? inputRead(this.#graph, key) : undefined;
    if (input !== undefined) return this.#followInput(input, key);
    if (!this.isOfContext(key)) return false;
    if (!this.#note(path)) this.doubtful.add(path);
    for (const word of declaredWords(this.#nodes, key)) this.#add(key, [word]);
    this.#followTypes(path);
    return true;
  }

  /** Adds the values of the types that stages declare for a key, and the exit codes that conditions tell apart. */
  #followTypes(path: string): void {
    const key = flatKey(path);
    const isCode = key === 'tool.exit_code';
    const types = isCode ? [integer] : this.#wholes.has(key) ? declaredTypes(this.#nodes, key) : [];
    if (types.length === 0) return;
    const own = this.atoms.all.filter(
      ({ variable }) => variable.kind === 'key' && flatKey(variable.name) === key,
    );
    for (const type of types) {
      const typed = typedValues({ kind: 'key', name: path }, own, type, isCode ? isFailure : undefined);
      this.#add(key, typed.values);
      if (!typed.areAll) this.doubtful.add(path);
    }
  }

  /** Adds the values of a path that its tests tell apart; false if there are more. */
  #note(path: string): boolean {
    const own = this.atoms.all.filter(({ variable }) => variable.kind === 'key' && variable.name === path);
    const variable = representatives({ kind: 'key', name: path }, own, () => ({ kind: 'any' }));
    const candidates = variable?.values ?? [];
    const known = candidates.filter(({ certainty }) => certainty !== 'assumed');
    this.#add(
      flatKey(path),
      known.flatMap(({ value }) => (value === undefined ? [] : [value])),
    );
    return variable !== undefined && known.length === candidates.length;
  }

  #add(key: string, some: readonly JsonValue[]): void {
    const known = this.values.get(key) ?? [];
    this.values.set(key, [...known, ...some.filter((value) => !known.includes(value))]);
  }

  #followInput(name: string, key: string): boolean {
    if (isPartOfAnother(key, this.#flat)) return false;
    const isPlain = key === name;
    // A restart sets the key without the prefix again, whatever the stages have made of it.
    const isSetAgain = this.#graph.edges.some(({ attributes }) => attributes.has('loop_restart'));
    if (isSetAgain && this.#flat.has(name)) return false;
    const keys = [name, inputPrefix + name];
    const own = this.atoms.all.filter(
      ({ variable }) => variable.kind === 'key' && keys.includes(flatKey(variable.name)),
    );
    const found = inputValues(this.#graph, name, own);
    if (found === undefined) return false;
    this.inputs.set(name, found);
    const known = found.values.flatMap((value) => (value === undefined ? [] : [value]));
    this.#add(key, known);
    return !isPlain || this.#note(key) || this.#doubt(key);
  }

  /** Follows an input of which only the number of its items matters, besides what conditions ask about it. */
  followList({ name, key, byDefault, isRequired }: ListInput): void {
    if (isPartOfAnother(key, this.#flat)) return;
    const { values = [], areAll = true } = this.inputs.get(name) ?? {};
    const first = isRequired ? [] : [byDefault];
    this.inputs.set(name, { values: [...first, ...listValues, ...values], areAll });
    this.#add(key, listValues);
  }

  #testsOf(path: string): readonly Clause[] {
    const clauses = this.atoms.all.map(({ clause }) => clause);
    return clauses.filter((clause) => keysOf(clause).some((key) => key.path === path));
  }

  #doubt(path: string): true {
    this.doubtful.add(path);
    return true;
  }
}

const listValues: readonly JsonValue[] = triedLists.map((items) => [...items]);

/** Keys whose lists become branches (SEMANTICS 106). */
function listKeys(nodes: Iterable<ProgramNode>): readonly string[] {
  return [...nodes].flatMap(({ parallel }) => {
    const path = parallel?.foreach?.path;
    return path === undefined ? [] : [flatKey(path)];
  });
}

const integer: ValueType = { kind: 'integer' };

/** True for the exit code of a command that has failed. */
function isFailure(code: JsonValue): boolean {
  return typeof code === 'number' && code > 0 && code < 256;
}

/** Types that stages declare for a key. */
function declaredTypes(nodes: readonly ProgramNode[], key: string): readonly ValueType[] {
  const entries = nodes.flatMap(({ ownRules }) => ownRules?.writes ?? []);
  const types = entries.flatMap((entry) => (entry.key === key && entry.type ? [entry.type] : []));
  return [...new Map(types.map((type) => [type.kind, type])).values()];
}

function keysSetBy(rules: ProgramNode['ownRules']): readonly string[] {
  if (rules === undefined) return [];
  return [...rules.writes, ...rules.assignments].map(({ key }) => key);
}

/** True for a member of a value that a stage sets as a whole: `context.result.score` where it writes `result`. */
function isPartOf(wholes: ReadonlySet<string>, key: string): boolean {
  for (let end = key.indexOf('.'); end !== -1; end = key.indexOf('.', end + 1))
    if (wholes.has(key.slice(0, end))) return true;
  return false;
}

/** Words that a stage may set a key to, although no condition mentions them. */
function declaredWords(nodes: readonly ProgramNode[], key: string): readonly string[] {
  const types = nodes.flatMap(({ ownRules }) => ownRules?.writes ?? []).filter((entry) => entry.key === key);
  return types.flatMap(({ type }) => (type?.kind === 'words' ? type.words : []));
}

function conditionsOf(
  { edges, ownRules, parallel, retry }: ProgramNode,
  ofAttempts: boolean,
): readonly Condition[] {
  const ofEdges = (parallel === undefined ? edges : []).flatMap(({ condition }) => condition ?? []);
  const retryWhen = ofAttempts && retry.maxAttempts > 1 ? ownRules?.retryWhen : undefined;
  return [...ofEdges, ...[ownRules?.failWhen, retryWhen].flatMap((one) => one ?? [])];
}

function pathsOf(condition: Condition): readonly string[] {
  return clausesOf(condition).flatMap((clause) => keysOf(clause).map(({ path }) => path));
}

/** True for a key of which the search can know whether it is set, if no condition reads it. */
export function canFollow(graph: Graph, key: string): boolean {
  return isFollowedKey(graph, key, new Set());
}

/** False for a key that the engine sets in other ways, and for one that is a part of another. */
function isFollowedKey(graph: Graph, key: string, all: ReadonlySet<string>): boolean {
  if (ofHandlers.has(key)) return true;
  const [root = ''] = key.split('.', 1);
  if (
    !isAuthorsKey(key) ||
    key.includes('*') ||
    isItemKey(graph, root) ||
    declaredInputs(graph)?.has(root) === true
  )
    return false;
  return !isPartOfAnother(key, all);
}

function isPartOfAnother(key: string, all: ReadonlySet<string>): boolean {
  for (const other of all)
    if (other !== key && (other.startsWith(`${key}.`) || key.startsWith(`${other}.`))) return true;
  return false;
}

/** True for the item of a list, which its branches have without that a stage sets it. */
function isItemKey(graph: Graph, root: string): boolean {
  return attributeOwners(graph)
    .nodesWith('foreach')
    .some((node) => root === foreachOf(node)?.as || root === itemIndexKey.split('.', 1)[0]);
}
