import { type ConditionScope, evaluateCondition } from '../graph/evaluate-condition.js';
import type { JsonValue } from '../graph/json.js';
import { lookUp, textOfValue } from '../graph/look-up.js';
import type { Program, ProgramNode } from '../graph/program.js';
import type { ValueTemplate } from '../graph/values/value-template.js';
import { isCustomOutcome } from '../handlers/read-outcome.js';
import type { FlowKeys } from '../lint/flow/flow-keys.js';
import { type ChoicesTaken, type FreeChoice, waysToTake } from '../lint/flow/free-choices.js';
import type { LiveKeys } from '../lint/flow/live-keys.js';
import { type StageChoice, stageChoices, type ToldApart } from '../lint/flow/stage-choices.js';
import type { Outcome } from '../machine/outcome.js';
import type { Cursor } from '../machine/state.js';
import type { Condition } from '../parser/condition/ast.js';
import { clausesOf } from '../parser/condition/clauses-of.js';
import { eventsOf } from '../parser/property/events-of.js';
import { routers } from '../run/simulate/made-up-words.js';

/** One of the ways in which an attempt of a stage may end. */
export interface Way {
  /** Outcome of the stage itself, as a script has it. */
  readonly said: Outcome;
  /** Its outcome, once the rules of its node have judged it (SEMANTICS 102, 103), with the free choices of the node. */
  readonly outcome: Outcome;
}

export interface Ways {
  readonly ways: readonly Way[];
  /** False if the stage may end in more ways. */
  readonly areAll: boolean;
}

/** Reason of a failure that an earlier one of the same stage may have had too. */
export const sameReason = 'the same failure again';

export interface WayOptions {
  readonly choices: ReadonlyMap<string, readonly FreeChoice[]>;
  readonly keys: FlowKeys;
  readonly live: LiveKeys;
  /** True if it matters that a stage fails again for the same reason (SEMANTICS 127). */
  readonly repeats: boolean;
}

/** Finds the ways in which the stages of a program can end that a route or a property tells apart. */
export class StageWays {
  readonly #program: Program;
  readonly #options: WayOptions;
  readonly #told: ToldApart;
  readonly #customWords: ReadonlyMap<string, readonly string[]>;
  readonly #choices = new Map<string, ReturnType<typeof stageChoices>>();

  constructor(program: Program, options: WayOptions) {
    this.#program = program;
    this.#options = options;
    this.#told = toldApartBy(program);
    this.#customWords = customWordsIn(program);
  }

  of(cursor: Cursor, node: ProgramNode): Ways {
    return node.handler.joins ? this.#ofJoin(cursor, node) : this.#waysFrom(cursor, node);
  }

  #waysFrom(cursor: Cursor, node: ProgramNode): Ways {
    const { choices, areAll } = this.#choicesOf(node);
    const free = waysToTake(this.#options.choices.get(node.id) ?? []);
    const ways = choices.flatMap((choice) =>
      free.taken.flatMap((taken) => this.#waysOf(cursor, node, choice, taken)),
    );
    return { ways, areAll: areAll && free.areAll };
  }

  /** A fan-in without a usable result fails; with one it chooses, unless something else fails it. */
  #ofJoin(cursor: Cursor, node: ProgramNode): Ways {
    const { ways, areAll } = this.#waysFrom(cursor, node);
    const isUsable = hasUsableResult(cursor);
    const possible = ways.filter(
      ({ said: { status } }) => isUsable || status === 'fail' || status === 'skipped',
    );
    const used = { 'parallel.results': [] };
    return {
      ways: possible.map(({ said, outcome }) => ({
        said: withValues(said, used),
        outcome: withValues(outcome, used),
      })),
      areAll,
    };
  }

  #choicesOf(node: ProgramNode): ReturnType<typeof stageChoices> {
    const known = this.#choices.get(node.id);
    if (known !== undefined) return known;
    const { keys, live } = this.#options;
    const needed = live.leaving(node.id);
    const values = new Map([...keys.values].filter(([key]) => needed.has(key)));
    const found = stageChoices(this.#program, node, values, this.#told);
    this.#choices.set(node.id, found);
    return found;
  }

  #waysOf(cursor: Cursor, node: ProgramNode, choice: StageChoice, taken: ChoicesTaken): readonly Way[] {
    const said = saidBy(choice);
    if (said.status !== 'fail')
      return [said, ...this.#inOwnWords(said, node)].map((one) => ({
        said: one,
        outcome: judged(one, cursor, node, taken),
      }));
    const reasons = [`failure ${cursor.execution + 1}`, ...(this.#options.repeats ? [sameReason] : [])];
    const mayRetry = this.#isInRetriedBranch(cursor);
    return reasons.flatMap((failure_reason) =>
      (mayRetry ? [false, true] : [false]).map((retryable): Way => {
        const failed = { ...said, failure_reason, retryable };
        return { said: failed, outcome: withClauses(failedOnce(failed, node, taken), taken) };
      }),
    );
  }

  /** The same in the words of custom outcomes, one of which no condition knows. */
  #inOwnWords(said: Outcome, { id }: ProgramNode): readonly Outcome[] {
    const words = said.status === 'success' ? (this.#customWords.get(id) ?? []) : [];
    return words.map((custom_outcome) => ({ ...said, custom_outcome }));
  }

  /** True in a branch of a parallel node that runs all its branches again after a failure that may pass. */
  #isInRetriedBranch({ branch }: Cursor): boolean {
    if (branch === undefined) return false;
    return [...this.#program.nodes.values()].some(
      ({ parallel, retry }) => parallel !== undefined && retry.maxAttempts > 1,
    );
  }
}

function saidBy({ status, preferred_label, suggested_next_ids, updates }: StageChoice): Outcome {
  const said: { -readonly [Key in keyof Outcome]: Outcome[Key] } = { status };
  if (preferred_label !== undefined) said.preferred_label = preferred_label;
  if (suggested_next_ids !== undefined) said.suggested_next_ids = suggested_next_ids;
  if (updates.size > 0) said.context_updates = Object.fromEntries(updates);
  return said;
}

function withValues(outcome: Outcome, values: Readonly<Record<string, JsonValue>>): Outcome {
  return { ...outcome, context_updates: { ...outcome.context_updates, ...values } };
}

/** Failure of an attempt. One that may be retried is final once the attempts are used up. */
function failedOnce(
  failed: Outcome & { readonly retryable: boolean },
  { ownRules }: ProgramNode,
  { clauses }: ChoicesTaken,
): Outcome {
  const retryWhen = ownRules?.retryWhen;
  if (
    retryWhen !== undefined &&
    evaluateCondition(
      retryWhen,
      scopeOf(failed, (key) => clauses[key]),
    )
  )
    return { ...failed, retryable: true, failure_category: 'retryable' };
  return failed.retryable ? failed : { ...failed, failure_category: 'terminal' };
}

function scopeOf(routed: Outcome, lookup: (key: string) => JsonValue | undefined): ConditionScope {
  const { status, custom_outcome, preferred_label } = routed;
  return { outcome: custom_outcome ?? status, preferredLabel: preferred_label ?? '', lookup };
}

function withClauses(outcome: Outcome, { clauses }: ChoicesTaken): Outcome {
  return Object.keys(clauses).length === 0 ? outcome : withValues(outcome, clauses);
}

/** Outcome that the driver makes of what a stage says, with the values that are followed. */
function judged(said: Outcome, cursor: Cursor, node: ProgramNode, taken: ChoicesTaken): Outcome {
  return withClauses(judgedBy(said, cursor, node, taken), taken);
}

function judgedBy(
  said: Outcome,
  cursor: Cursor,
  { id, ownRules, handler }: ProgramNode,
  taken: ChoicesTaken,
): Outcome {
  if (ownRules === undefined) return said;
  const updates = new Map(Object.entries(said.context_updates ?? {}));
  const lookup = (key: string): JsonValue | undefined => updates.get(key) ?? cursor.context.get(key);
  const assigned = Object.fromEntries(
    ownRules.assignments.map(({ key, value }) => [
      key,
      taken.assigned.has(key) ? (taken.assigned.get(key) ?? null) : rendered(value, lookup),
    ]),
  );
  const outcome = ownRules.assignments.length === 0 ? said : { ...said, assigned };
  const isSuccess = said.status === 'success' || said.status === 'partial_success';
  if (ownRules.failWhen === undefined || !isSuccess) return outcome;
  const routed = handler.inheritsOutcome ? (cursor.routedOutcome ?? said) : said;
  const scope = scopeOf(routed, (key) =>
    Object.hasOwn(assigned, key) ? assigned[key] : (taken.clauses[key] ?? lookup(key)),
  );
  if (!evaluateCondition(ownRules.failWhen, scope)) return outcome;
  const retryable = handler.inheritsOutcome ? false : undefined;
  return {
    ...said,
    status: 'fail',
    failure_reason: `fail_when of "${id}" holds`,
    retryable,
    reported: said.status,
  };
}

function rendered(value: ValueTemplate, lookup: (key: string) => JsonValue | undefined): JsonValue {
  if (value.kind === 'constant') return value.value;
  if (value.kind !== 'text') return null;
  const parts = value.template.parts.map((part) =>
    part.kind === 'value' ? (lookUp(part.path, { lookup }) ?? null) : part.text,
  );
  const [only = null] = parts;
  return value.isWhole ? only : parts.map((part) => textOfValue(part ?? undefined)).join('');
}

/** True if a fan-in would find the result of a branch that has not failed, or a list without items. */
export function hasUsableResult({ context }: Cursor): boolean {
  const results = context.get('parallel.results');
  return (
    Array.isArray(results) && results.some((one) => (one as { status?: string } | null)?.status !== 'fail')
  );
}

/** Custom outcomes that conditions ask for after a stage, by node, with one that none asks for. */
function customWordsIn(program: Program): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  for (const node of program.nodes.values()) {
    const { handler, ownRules } = node;
    if (handler.instant || handler.forks || handler.joins || handler.type === 'wait.human') continue;
    const conditions = routers(program, node).flatMap(({ edges }) => edges.map(({ condition }) => condition));
    const words = [...conditions, ownRules?.failWhen].flatMap((one) =>
      one === undefined ? [] : customOutcomesIn(one),
    );
    if (words.length > 0) found.set(node.id, [...new Set([...words, 'in_other_words'])]);
  }
  return found;
}

function customOutcomesIn(condition: Condition): readonly string[] {
  return clausesOf(condition).flatMap((clause) => {
    if (clause.kind !== 'comparison') return [];
    const { left, right } = clause;
    if (left.kind !== 'key' || left.path !== 'outcome') return [];
    const literals = right.kind === 'list' ? right.items : [right];
    return literals.flatMap((one) =>
      one.kind === 'literal' && isCustomOutcome(one.value) ? [one.value] : [],
    );
  });
}

/** Differences that only properties see: which status a stage has that they ask about, and which label. */
function toldApartBy({ monitors, nodes }: Program): ToldApart {
  // The last status of a branch decides about its join.
  const hasBranches = [...nodes.values()].some(({ parallel }) => parallel !== undefined);
  const words = new Set<string>();
  for (const { property } of monitors) {
    for (const { result } of eventsOf(property)) if (result?.kind === 'word') words.add(result.word.text);
  }
  return {
    isWatched: (nodeId) => hasBranches || monitors.some(({ watched }) => watched.ends.has(nodeId)),
    words: [...words],
  };
}
