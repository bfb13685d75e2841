import type { BudgetLimit, StageBudgets } from '../graph/budget-limit.js';
import type { JsonValue } from '../graph/json.js';
import type { ExtensionRecord } from './extension-record.js';
import type { SimulationScript } from './simulation-script.js';

/** Types of values by the kind of the field; `recorded-settings.ts` checks and stores each kind. */
export interface FieldTypes {
  readonly switch: boolean;
  /** Whole number from 1. */
  readonly count: number;
  /** Whole number from 0. */
  readonly whole: number;
  /** Number from 0, or `none`. */
  readonly budget: BudgetLimit;
  readonly text: string;
  readonly directory: string;
  readonly run_id: string;
  readonly script: SimulationScript;
  readonly answers: ReadonlyMap<string, readonly string[]>;
  readonly inputs: Readonly<Record<string, JsonValue>>;
  readonly stage_budgets: StageBudgets;
  readonly extensions: ExtensionRecord;
}

export type FieldKind = keyof FieldTypes;

/** One option of a run, for all code that reads, stores, changes or passes on the options of runs. */
export interface RecordedField {
  readonly kind: FieldKind;
  /**
   * Key among `options` of the manifest: `always` for a switch that each manifest has, `if_set` for the
   * snake case of the name, left out without a value; or another key. Fields without this column are stored
   * elsewhere, or for one call only.
   */
  readonly kept?: 'always' | 'if_set' | 'replay_of';
  /**
   * Value of a resumed run:
   * - `kept`: that of the call, else that of the start; the next resume ignores this call
   * - `renewed`: likewise, and the value of the call stays from now on
   * - `replaced`: that of this call and nothing else, since the journal has the values of earlier calls
   * - `fixed`: that of the start; no call can change it
   * - `only`: only a call of `resume` has this option
   */
  readonly onResume: 'kept' | 'renewed' | 'replaced' | 'fixed' | 'only';
  /**
   * Value of a run that plays another one back: that of the other run unless the call overrides it,
   * switched off, or that of the call.
   */
  readonly onReplay: 'recorded' | 'off' | 'given';
  /** True if child runs start with it (§9.4). Nothing is inherited by default. */
  readonly inherited?: true;
  /** Flag of `run`, `resume` and `fork`, and its help. */
  readonly flag?: readonly [syntax: string, help: string];
  /** HTTP bodies that take it, in snake case (§9.5). */
  readonly bodies?: readonly RequestBody[];
}

export type RequestBody = 'submission' | 'resumption';

/** Options that shape a run and must be known when it is resumed, played back or examined: one row each. */
export const recordedFields = {
  /**
   * Simulates every stage that would do real work (DESIGN §5). A resumed run keeps its former value unless
   * the call changes it; then the new value stays.
   */
  simulate: {
    kind: 'switch',
    kept: 'always',
    onResume: 'renewed',
    onReplay: 'recorded',
    inherited: true,
    flag: ['--simulate', 'simulate every stage that is not scripted'],
    bodies: ['submission', 'resumption'],
  },
  /**
   * Answers questions with yes, or with the first choice (§6.4); only the question about an interrupted
   * stage with `idempotent=false` goes to the interviewer.
   */
  autoApprove: {
    kind: 'switch',
    kept: 'always',
    onResume: 'kept',
    onReplay: 'off',
    inherited: true,
    flag: ['--auto-approve', 'answer every question with yes or its first choice'],
    bodies: ['submission'],
  },
  /**
   * Answers by node id, one for each expected question, matched as a person's answer would be.
   * `<node>/<node>` is a stage of the pipeline that a node runs.
   */
  answers: {
    kind: 'answers',
    onResume: 'replaced',
    onReplay: 'off',
    flag: ['--answer <node=choice>', 'answer the question of a gate; may be repeated'],
  },
  /**
   * Scripted outcomes and answers (DESIGN §5); in a resumed run they replace those that it was started
   * with.
   */
  script: {
    kind: 'script',
    kept: 'if_set',
    onResume: 'renewed',
    onReplay: 'recorded',
    flag: ['--script <file>', 'scripted outcomes and answers, JSON or YAML'],
    bodies: ['submission'],
  },
  /**
   * Seed of a simulation: decides the order in which branches continue that are ready at the same time, and
   * the spread of pauses. Without one they continue in the order in which they became ready. The same
   * pipeline, script and seed give the same run.
   */
  seed: {
    kind: 'whole',
    kept: 'if_set',
    onResume: 'renewed',
    onReplay: 'given',
    inherited: true,
    flag: ['--seed <n>', 'random seed of the simulation'],
    bodies: ['submission'],
  },
  /** Inputs, set as `inputs.<key>` and `<key>` in the context (SEMANTICS 97). */
  inputs: {
    kind: 'inputs',
    onResume: 'replaced',
    onReplay: 'recorded',
    flag: ['--set <key=value>', 'an input of the pipeline; may be repeated'],
    bodies: ['submission', 'resumption'],
  },
  /** Fails a stage that needs a missing value; otherwise the value becomes an empty text. */
  strictValues: {
    kind: 'switch',
    kept: 'if_set',
    onResume: 'kept',
    onReplay: 'recorded',
    inherited: true,
    flag: ['--strict-values', 'fail a stage whose ${…} value is missing'],
  },
  /** Allows custom outcomes, which count as successes and which conditions see (SEMANTICS 44g). */
  customOutcomes: {
    kind: 'switch',
    kept: 'if_set',
    onResume: 'kept',
    onReplay: 'recorded',
    inherited: true,
    flag: ['--custom-outcomes', 'allow custom outcome names; they count as success'],
  },
  /**
   * Records all model, agent and tool calls of stages, so that the run can be played back. A resumed run
   * continues if it was recorded before; child runs follow the run above them.
   */
  record: {
    kind: 'switch',
    kept: 'if_set',
    onResume: 'renewed',
    onReplay: 'off',
    inherited: true,
    flag: ['--record', 'record all model, agent and tool calls for a replay'],
    bodies: ['submission'],
  },
  /** Step limit; overrides the graph's `max_steps`. */
  maxSteps: {
    kind: 'count',
    kept: 'if_set',
    onResume: 'replaced',
    onReplay: 'recorded',
    flag: ['--max-steps <n>', 'maximum number of stages'],
    bodies: ['submission', 'resumption'],
  },
  /**
   * Budget of the whole run in US dollars, all stages together; overrides the graph's `budget_usd`, and
   * `none` lifts it (SEMANTICS 126).
   */
  budgetUsd: {
    kind: 'budget',
    kept: 'if_set',
    onResume: 'replaced',
    onReplay: 'recorded',
    flag: ['--budget-usd <n>', 'maximum cost of the run, in US dollars, or none; 25 by default'],
    bodies: ['submission', 'resumption'],
  },
  /**
   * Budget of a run as soon as its stages may cost money, where neither the call nor the pipeline says one:
   * that of the configuration, else 25 US dollars (SEMANTICS 126). A child has none, nor have runs of older
   * versions.
   */
  defaultBudgetUsd: {
    kind: 'budget',
    kept: 'if_set',
    onResume: 'fixed',
    onReplay: 'given',
  },
  /** Budget of the whole run in tokens; overrides the graph's `budget_tokens`. */
  budgetTokens: {
    kind: 'whole',
    kept: 'if_set',
    onResume: 'replaced',
    onReplay: 'recorded',
    flag: ['--budget-tokens <n>', 'maximum number of tokens of the run'],
    bodies: ['submission', 'resumption'],
  },
  /**
   * Budgets of one visit of stages, by node, in place of those of the pipeline; they hold for the rest of
   * the run (SEMANTICS 126). `<node>/<node>` is a stage of the pipeline that a node runs.
   */
  stageBudgets: {
    kind: 'stage_budgets',
    kept: 'if_set',
    onResume: 'replaced',
    onReplay: 'recorded',
    flag: ['--stage-budget <node=n>', 'maximum cost of one visit of a stage; may be repeated'],
    bodies: ['submission', 'resumption'],
  },
  /** Plugins and settings of handlers and other extensions, needed to resume the run. */
  extensions: {
    kind: 'extensions',
    kept: 'if_set',
    onResume: 'fixed',
    onReplay: 'given',
    inherited: true,
  },
  /**
   * Directory of a recorded run that is played back: nothing real is done, and its inputs, its script and
   * its limits apply unless others are given. A stage that asks for something else than was recorded fails,
   * and with it the run.
   */
  replay: {
    kind: 'text',
    kept: 'replay_of',
    onResume: 'fixed',
    onReplay: 'given',
  },
  /** Git keeps the files of the stages; overrides the graph's `git` (docs/git.md). */
  git: {
    kind: 'switch',
    onResume: 'fixed',
    onReplay: 'off',
  },
  /**
   * Lets stages of branches work on other workers, in a run that a cluster executes (SEMANTICS 140). Alone, a machine does everything
   * itself.
   */
  spread: {
    kind: 'switch',
    kept: 'if_set',
    onResume: 'renewed',
    onReplay: 'off',
    inherited: true,
    flag: ['--spread', 'in a cluster: let stages of branches work on other workers too'],
    bodies: ['submission', 'resumption'],
  },
  /**
   * True if a server that lets no pipeline run commands began the run (§9.5). The command line and servers
   * keep this restriction when it is resumed or forked, and for its child runs, until `--allow-tools` lifts
   * it.
   */
  restricted: {
    kind: 'switch',
    kept: 'if_set',
    onResume: 'renewed',
    onReplay: 'off',
    inherited: true,
  },
  /**
   * Id of the run, which no other run may have; a new one by default. Without `runDirectory` it names the
   * directory too.
   */
  runId: {
    kind: 'run_id',
    onResume: 'fixed',
    onReplay: 'given',
  },
  /** Run directory itself; by default a new one below `.attractor/runs`. */
  runDirectory: {
    kind: 'directory',
    onResume: 'fixed',
    onReplay: 'given',
  },
  /** Directory in which tools run and `.attractor` is; by default the current directory of the process. */
  workingDirectory: {
    kind: 'text',
    onResume: 'fixed',
    onReplay: 'given',
  },
  /** File that the text came from, for the manifest and for messages. */
  sourcePath: {
    kind: 'text',
    onResume: 'fixed',
    onReplay: 'given',
  },
  /** Node to continue at, instead of the one where the run stopped (SEMANTICS 66b). */
  from: {
    kind: 'text',
    onResume: 'only',
    onReplay: 'given',
    bodies: ['resumption'],
  },
} as const satisfies Readonly<Record<string, RecordedField>>;

type Fields = typeof recordedFields;
export type FieldName = keyof Fields;

/** Value of a field. */
export type FieldValue<Name extends FieldName> = FieldTypes[Fields[Name]['kind']];

/** Recorded part of the settings of a run, field by field. */
export type RecordedSettings = { readonly [Name in keyof Fields]?: FieldValue<Name> };

/** Names of the fields with a value in a column. */
export type FieldsWith<Column extends Partial<RecordedField>> = {
  [Name in FieldName]: Fields[Name] extends Column ? Name : never;
}[FieldName];

/** Fields by name, as data. */
export const fieldList: readonly (readonly [name: FieldName, field: RecordedField])[] = Object.entries(
  recordedFields,
) as unknown as readonly (readonly [FieldName, RecordedField])[];

/** Name of a field in JSON. */
export type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : '';

export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
