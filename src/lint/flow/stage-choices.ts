import { choicesOf } from '../../graph/choices.js';
import type { JsonValue } from '../../graph/json.js';
import type { Program, ProgramEdge, ProgramNode } from '../../graph/program.js';
import type { StageStatus } from '../../graph/stage-status.js';
import { simulatedWrites } from '../../graph/values/written-values.js';
import type { Condition } from '../../parser/condition/ast.js';
import { clausesOf } from '../../parser/condition/clauses-of.js';
import { fitsType } from '../../parser/key-list/value-type.js';
import { isClosed } from '../analysis/closed-stages.js';
import { answered } from '../conditions/coverage.js';
import { possibleStatuses } from '../conditions/stage-outcomes.js';
import { isOfOutcome, isSetWithoutAuthor, stageFieldsRead } from './engine-keys.js';
import { resultsKey } from './flow-forks.js';
import type { Said } from './flow-state.js';
import { routedKey } from './routed-node.js';

/** One of the ways in which the work of a stage may end, before the rules of its node judge it. */
export interface StageChoice extends Said {
  /** Values that it sets, of the keys that are followed. */
  readonly updates: ReadonlyMap<string, JsonValue>;
}

export interface StageChoices {
  readonly choices: readonly StageChoice[];
  /** False if the stage has more ways to end than those. */
  readonly areAll: boolean;
}

/** Differences between the ways of a stage to end that something besides routes tells apart. */
export interface ToldApart {
  /** True for a node of which each status counts. */
  isWatched(nodeId: string): boolean;
  /** Labels that a stage may prefer. */
  readonly words: readonly string[];
}

type Updates = ReadonlyMap<string, JsonValue>;

/** Followed keys that matter to what comes after a stage, with their values. */
type FollowedValues = ReadonlyMap<string, readonly JsonValue[]>;

const nothing: Updates = new Map();
const silent = { preferred_label: undefined, suggested_next_ids: undefined } as const;
const onlySuccess: StageChoices = {
  choices: [{ status: 'success', ...silent, updates: nothing }],
  areAll: true,
};

/** Most ways in which a stage may end, beyond which some are left out. */
const mostChoices = 256;

/** Most likely first, so that a run that shows something is an ordinary one. */
const order: readonly StageStatus[] = ['success', 'fail', 'partial_success', 'skipped', 'retry'];

/** All ways in which a visit of a node may end that a route can tell from each other. */
export function stageChoices(
  program: Program,
  node: ProgramNode,
  keys: FollowedValues,
  told?: ToldApart,
): StageChoices {
  const { handler } = node;
  if (handler.inheritsOutcome || handler.type === 'start' || handler.type === 'exit') return onlySuccess;
  if (handler.type === 'wait.human') return choicesOfGate(node, keys);
  const isWatched = told?.isWatched(node.id) === true;
  const labels = isWatched ? told.words : [];
  const { preferences, outcomes, areAll: areAllPreferences } = preferencesOf(program, node, labels);
  const choices: StageChoice[] = [];
  let areAll = areAllPreferences;
  for (const status of isWatched ? watchedStatuses(node) : statusesOf(node, outcomes)) {
    const sets = updatesOf(node, keys, status);
    const count = sets.length * preferences.length;
    if (count > mostChoices) areAll = false;
    for (const updates of sets) {
      if (choices.length >= 4 * mostChoices) break;
      for (const preference of preferences) choices.push({ status, ...preference, updates });
    }
  }
  return { choices, areAll };
}

/** Nodes of which conditions elsewhere read the outcome by their names, with the labels that they ask for. */
export function toldApartBy(program: Program, values: FollowedValues): ToldApart | undefined {
  const said = [...stageFieldsRead(values.keys())].filter(([, fields]) =>
    fields.some((field) => field !== 'visits'),
  );
  if (said.length === 0) return undefined;
  const ids = new Set(said.map(([id]) => id));
  // A diamond says what a stage before it has said.
  const isAny = [...ids].some((id) => program.nodes.get(id)?.handler.inheritsOutcome === true);
  const labels = said.flatMap(([id]) => values.get(`stages.${id}.preferred_label`) ?? []);
  const words = labels.flatMap((label) => (typeof label === 'string' && label !== '' ? [label] : []));
  return { isWatched: (nodeId) => isAny || ids.has(nodeId), words: [...new Set(words)] };
}

function watchedStatuses(node: ProgramNode): readonly StageStatus[] {
  const possible = possibleStatuses(node);
  return order.filter((status) => possible.includes(status));
}

/** Possible statuses, without those that no condition, no goal gate and no declaration tells from another one. */
function statusesOf(node: ProgramNode, mentioned: ReadonlySet<string>): readonly StageStatus[] {
  const possible = possibleStatuses(node);
  // A condition on success tells all others from it, but those not from each other.
  const isLikeAnother = possible.includes('partial_success') && !mentioned.has('partial_success');
  const tells = (status: StageStatus): boolean =>
    status === 'success' ||
    status === 'fail' ||
    mentioned.has(status) ||
    (mentioned.has('success') && (status === 'partial_success' || !isLikeAnother)) ||
    node.ownRules !== undefined ||
    (status === 'skipped' && node.goalGate);
  return order.filter(
    (status) => possible.includes(status) && (tells(status) || !possible.includes('success')),
  );
}

/** A person chooses an edge, or gives no answer, which fails. */
function choicesOfGate({ edges }: ProgramNode, keys: FollowedValues): StageChoices {
  const offered = choicesOf(edges);
  const choices = offered.map((choice): StageChoice => {
    const facts = answered(offered, choice);
    const updates = [...facts].filter(([key]) => keys.has(key));
    const label = String(facts.get('preferred_label') ?? '');
    return {
      status: 'success',
      preferred_label: label === '' ? undefined : label,
      suggested_next_ids: [choice.to],
      updates: new Map(updates),
    };
  });
  return { choices: [...choices, { status: 'fail', ...silent, updates: nothing }], areAll: true };
}

/**
 * Preferences that make a difference, at the node and at the diamonds after it, which route on the same outcome:
 * suggestions choose among plain edges as labels do, so that of labels only those count which conditions test. Where two nodes
 * choose, a label may choose at one of them and not at the other; several suggestions together are left out.
 */
function preferencesOf(program: Program, node: ProgramNode, labels: readonly string[]) {
  const targets = new Set<string>();
  const words = new Set(labels);
  const outcomes = new Set<string>();
  const choosing: (readonly ProgramEdge[])[] = [];
  for (const { edges, ownRules } of routedAlike(program, node)) {
    const plain = edges.filter(({ condition }) => condition === undefined);
    if (plain.length > 1) choosing.push(plain);
    if (plain.length > 1) for (const { to } of plain) targets.add(to);
    for (const condition of [...edges.map((edge) => edge.condition), ownRules?.failWhen]) {
      if (condition === undefined) continue;
      for (const word of wordsAskedFor(condition, 'label')) words.add(word);
      for (const word of wordsAskedFor(condition, 'status')) outcomes.add(word);
    }
  }
  const suggested = [undefined, ...[...targets].map((id) => [id])];
  const preferences: Preference[] = [undefined, ...words].flatMap((preferred_label) =>
    suggested.map((suggested_next_ids) => ({ preferred_label, suggested_next_ids })),
  );
  const areAll = choosing.length < 2;
  const ofEdges = areAll ? [] : new Set(choosing.flat().map(({ label }) => label));
  for (const preferred_label of ofEdges)
    if (preferred_label !== '' && !words.has(preferred_label))
      preferences.push({ preferred_label, suggested_next_ids: undefined });
  return { preferences, outcomes, areAll };
}

type Preference = Pick<Said, 'preferred_label' | 'suggested_next_ids'>;

/** A node, and the diamonds that may route on its outcome: after edges and jumps, and after the exit has sent the run back. */
function routedAlike(program: Program, node: ProgramNode): ReadonlySet<ProgramNode> {
  const found = new Set([node]);
  const add = (nodeId: string): void => {
    const after = program.nodes.get(nodeId);
    if (after?.handler.inheritsOutcome) found.add(after);
  };
  for (const { edges, jumpTargets } of found) {
    for (const { to } of edges) add(to);
    for (const { nodeId } of jumpTargets) add(nodeId);
    if (edges.length > 0 && edges.every(({ to }) => to !== program.exitId)) continue;
    for (const { nodeId } of program.goalGateTargets) add(nodeId);
    for (const gate of program.goalGates) for (const { nodeId } of gate.jumpTargets) add(nodeId);
  }
  return found;
}

/** Words that conditions ask for; any one where they ask for no certain word. */
function wordsAskedFor(condition: Condition, part: 'status' | 'label'): readonly string[] {
  return clausesOf(condition).flatMap((clause) => {
    if (clause.kind === 'exists') return isOfOutcome(clause.key.path, part) ? [anyWord] : [];
    if (clause.kind === 'truthy')
      return clause.operand.kind === 'key' && isOfOutcome(clause.operand.path, part) ? [anyWord] : [];
    if (clause.kind !== 'comparison') return [];
    const { left, right } = clause;
    if (left.kind !== 'key' || !isOfOutcome(left.path, part)) return [];
    const literals = right.kind === 'list' ? right.items : [right];
    return literals.flatMap((one) => (one.kind === 'literal' && one.value !== '' ? [one.value] : []));
  });
}

const anyWord = 'any label';

/** True for a node whose stage sets a key in each of its visits. */
export function setsAlways({ handler }: ProgramNode, key: string): boolean {
  if (key === routedKey) return !handler.inheritsOutcome;
  return key.startsWith('tool.') && handler.type === 'tool';
}

/** True for a node whose stage may set a key to anything, whatever its status. */
export function setsFreely(node: ProgramNode, key: string): boolean {
  if (key === resultsKey || isSetWithoutAuthor(key)) return false;
  return !isClosed(node.node, node.handler) && !assigns(node, key);
}

function assigns({ ownRules }: ProgramNode, key: string): boolean {
  return ownRules?.assignments.some((assignment) => assignment.key === key) === true;
}

/** Values that a stage may set, together. */
function updatesOf(node: ProgramNode, keys: FollowedValues, status: StageStatus): readonly Updates[] {
  let sets: readonly Updates[] = [nothing];
  for (const [key, values] of keys) {
    const own = valuesOf(node, key, values, status);
    if (own.length === 0) continue;
    const together: Updates[] = [];
    for (const set of sets) {
      for (const value of own) together.push(value === undefined ? set : new Map(set).set(key, value));
      if (together.length > mostChoices) break;
    }
    sets = together;
  }
  return sets;
}

/** Values of one key; undefined if the stage may leave it alone. None if it cannot set it. */
function valuesOf(
  node: ProgramNode,
  key: string,
  values: readonly JsonValue[],
  status: StageStatus,
): readonly (JsonValue | undefined)[] {
  if (key.startsWith('tool.')) return node.handler.type === 'tool' ? valuesOfTool(key, values, status) : [];
  if (key === resultsKey || isSetWithoutAuthor(key)) return [];
  if (assigns(node, key) && status !== 'fail') return [];
  const declared = node.ownRules?.writes.find((entry) => entry.key === key);
  if (declared === undefined) return isClosed(node.node, node.handler) ? [] : [undefined, ...values];
  const fitting = values.filter((value) => fitsType(declared.type, value));
  if (status !== 'success' || declared.isOptional) return [undefined, ...fitting];
  return fitting.length > 0 ? fitting : [...simulatedWrites([declared], () => false).values()];
}

function valuesOfTool(key: string, values: readonly JsonValue[], status: StageStatus): readonly JsonValue[] {
  if (key !== 'tool.exit_code') return values.filter((value) => typeof value === 'string');
  if (status === 'success') return [0];
  const codes = values.filter((value) => Number.isInteger(value) && Number(value) > 0);
  return codes.length === 0 ? [1] : codes;
}
