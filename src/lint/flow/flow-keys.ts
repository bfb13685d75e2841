import { keysOf } from '../../graph/evaluate-condition.js';
import type { Graph } from '../../graph/graph.js';
import type { JsonValue } from '../../graph/json.js';
import { foreachOf, itemIndexKey } from '../../graph/parallel.js';
import type { ProgramNode } from '../../graph/program.js';
import { declaredInputs } from '../../graph/values/declared-inputs.js';
import { isAuthorsKey } from '../../graph/values/handler-keys.js';
import type { Condition } from '../../parser/condition/ast.js';
import { clausesOf } from '../../parser/condition/clauses-of.js';
import { attributeOwners } from '../attribute-owners.js';
import { Atoms, formulaOf } from '../conditions/formula.js';
import { representatives } from '../conditions/representatives.js';
import { flatKey } from '../conditions/variable.js';
import { resultsKey } from './flow-forks.js';

/** Keys of the context on which routes depend, each with one value for all that no condition distinguishes. */
export interface FlowKeys {
  readonly values: ReadonlyMap<string, readonly JsonValue[]>;
  /** False if some values are not known to be all: then a search cannot prove that something never happens. */
  readonly isExact: boolean;
  /** Paths in conditions of which some values are not known. */
  readonly doubtful: ReadonlySet<string>;
  /** True for a condition of which the search knows every value. */
  isFollowed(condition: Condition): boolean;
}

const ofOutcome: ReadonlySet<string> = new Set(['outcome', 'preferred_label']);

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

/**
 * Finds the keys of all conditions of a graph.
 * @param extra another key, of which only matters whether it is set
 */
export function flowKeysOf(graph: Graph, nodes: readonly ProgramNode[], extra?: string): FlowKeys {
  const atoms = new Atoms();
  const all = nodes.flatMap(conditionsOf);
  for (const condition of all) formulaOf(condition, atoms);
  const paths = new Set(all.flatMap(pathsOf));
  const flat = new Set([...paths].map(flatKey));
  const isKnown = (path: string): boolean => ofOutcome.has(path) || isFollowedKey(graph, flatKey(path), flat);
  const values = new Map<string, JsonValue[]>();
  const doubtful = new Set<string>();
  for (const path of paths) {
    if (ofOutcome.has(path) || !isKnown(path)) continue;
    const own = atoms.all.filter(({ variable }) => variable.kind === 'key' && variable.name === path);
    const variable = representatives({ kind: 'key', name: path }, own, () => ({ kind: 'any' }));
    const candidates = variable?.values ?? [];
    if (variable === undefined || candidates.some(({ certainty }) => certainty === 'assumed'))
      doubtful.add(path);
    const known = values.get(flatKey(path)) ?? [];
    for (const { value, certainty } of candidates) {
      if (certainty !== 'assumed' && value !== undefined && !known.includes(value)) known.push(value);
    }
    for (const word of declaredWords(nodes, flatKey(path))) if (!known.includes(word)) known.push(word);
    values.set(flatKey(path), known);
  }
  for (const key of listKeys(nodes)) {
    if (!isFollowedKey(graph, key, flat)) continue;
    const lists = [[], ['one'], ['one', 'two']];
    values.set(key, [...(values.get(key) ?? []), ...lists]);
  }
  if (nodes.some(({ handler }) => handler.joins)) values.set(resultsKey, []);
  if (extra !== undefined && !values.has(extra)) values.set(extra, [extra === 'tool.exit_code' ? 0 : 'set']);
  // A comparison of two keys depends on more than the values that each is compared with.
  const isExact = doubtful.size === 0 && atoms.all.every(({ variable }) => variable.kind === 'key');
  return { values, isExact, doubtful, isFollowed: (condition) => pathsOf(condition).every(isKnown) };
}

/** Keys whose lists become branches (SEMANTICS 106). */
function listKeys(nodes: Iterable<ProgramNode>): readonly string[] {
  return [...nodes].flatMap(({ parallel }) => {
    const path = parallel?.foreach?.path;
    return path === undefined ? [] : [flatKey(path)];
  });
}

/** Words that a stage may set a key to, although no condition mentions them. */
function declaredWords(nodes: readonly ProgramNode[], key: string): readonly string[] {
  const types = nodes.flatMap(({ ownRules }) => ownRules?.writes ?? []).filter((entry) => entry.key === key);
  return types.flatMap(({ type }) => (type?.kind === 'words' ? type.words : []));
}

function conditionsOf({ edges, ownRules, parallel }: ProgramNode): readonly Condition[] {
  const own = (parallel === undefined ? edges : []).flatMap(({ condition }) => condition ?? []);
  return ownRules?.failWhen === undefined ? own : [...own, ownRules.failWhen];
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
  for (const other of all) {
    if (other !== key && (other.startsWith(`${key}.`) || key.startsWith(`${other}.`))) return false;
  }
  return true;
}

/** True for the item of a list, which its branches have without that a stage sets it. */
function isItemKey(graph: Graph, root: string): boolean {
  return attributeOwners(graph)
    .nodesWith('foreach')
    .some((node) => root === foreachOf(node)?.as || root === itemIndexKey.split('.', 1)[0]);
}
