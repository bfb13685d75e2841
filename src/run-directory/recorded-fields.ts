import type { JsonValue } from '../graph/json.js';
import type { ExtensionRecord } from './extension-record.js';
import type { SimulationScript } from './simulation-script.js';

/** The type of a field's value, by the kind of the field; `recorded-settings.ts` says how each kind is checked and kept. */
export interface FieldTypes {
  readonly switch: boolean;
  /** A whole number from 1. */
  readonly count: number;
  /** A whole number from 0. */
  readonly whole: number;
  /** A number from 0. */
  readonly amount: number;
  readonly text: string;
  readonly directory: string;
  readonly run_id: string;
  readonly script: SimulationScript;
  readonly answers: ReadonlyMap<string, readonly string[]>;
  readonly inputs: Readonly<Record<string, JsonValue>>;
  readonly extensions: ExtensionRecord;
}

export type FieldKind = keyof FieldTypes;

/** One option of a run, for everyone who reads, keeps, changes or passes on the options of runs. */
export interface RecordedField {
  readonly kind: FieldKind;
  /**
   * The key among `options` of the manifest: `always` for a switch that each manifest has, `if_set` for the snake case of the
   * name, left out without a value; or another key. Fields without this column are kept elsewhere, or for one call only.
   */
  readonly kept?: 'always' | 'if_set' | 'replay_of';
  /**
   * The value that a run has when it is resumed:
   * - `kept`: what the call says, else what the run was started with; the next resume knows nothing of this call
   * - `renewed`: the same, and what the call says holds from now on
   * - `replaced`: what this call says and nothing else, since the journal has what earlier calls said
   * - `fixed`: what the run was started with; no call can change it
   * - `only`: only a call of `resume` has this option
   */
  readonly onResume: 'kept' | 'renewed' | 'replaced' | 'fixed' | 'only';
  /**
   * The value in a run that plays another one back: that of the other run unless the call says otherwise, switched off, or what
   * the call says.
   */
  readonly onReplay: 'recorded' | 'off' | 'given';
  /** Child runs start with it (§9.4). Nothing is inherited unless its row says so. */
  readonly inherited?: true;
  /** The flag of `run`, `resume` and `fork`, and its help. */
  readonly flag?: readonly [syntax: string, help: string];
  /** The HTTP bodies that take it, in snake case (§9.5). */
  readonly bodies?: readonly RequestBody[];
}

export type RequestBody = 'submission' | 'resumption';

/** The options that shape a run and must be known when it is resumed, played back or looked at: one row each. */
export const recordedFields = {
  /**
   * Every stage that would do real work only pretends to (DESIGN §5). A run that is resumed keeps to what it did before,
   * unless it is told otherwise; then it keeps to that.
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
   * Answers questions with yes, or with the first choice (§6.4); but whether a stage that was cut off and says
   * `idempotent=false` is to run again, the interviewer is asked.
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
   * Answers by node id, one an expected question, matched as a person's answer would be. `<node>/<node>` is a stage of the
   * pipeline that a node runs.
   */
  answers: {
    kind: 'answers',
    onResume: 'replaced',
    onReplay: 'off',
    flag: ['--answer <node=choice>', 'answer the question of a gate; may be repeated'],
  },
  /** Scripted outcomes and answers (DESIGN §5); for a run that is resumed, instead of those that it was started with. */
  script: {
    kind: 'script',
    kept: 'if_set',
    onResume: 'renewed',
    onReplay: 'recorded',
    flag: ['--script <file>', 'scripted outcomes and answers, JSON or YAML'],
    bodies: ['submission'],
  },
  /**
   * Seed of a simulation: decides the order in which branches continue that are ready at the same time, and the spread of pauses.
   * Without one they continue in the order in which they became ready. The same pipeline, script and seed give the same run.
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
  /** Set as `inputs.<key>` and `<key>` in the context (SEMANTICS 97). */
  inputs: {
    kind: 'inputs',
    onResume: 'replaced',
    onReplay: 'recorded',
    flag: ['--set <key=value>', 'an input of the pipeline; may be repeated'],
    bodies: ['submission', 'resumption'],
  },
  /** A stage fails that is to be given a value which the run does not have; otherwise an empty text stands in for it. */
  strictValues: {
    kind: 'switch',
    kept: 'if_set',
    onResume: 'kept',
    onReplay: 'recorded',
    inherited: true,
    flag: ['--strict-values', 'fail a stage whose ${…} value is missing'],
  },
  /** Outcomes may be words of their own, which count as successes and which conditions see (SEMANTICS 44g). */
  customOutcomes: {
    kind: 'switch',
    kept: 'if_set',
    onResume: 'kept',
    onReplay: 'recorded',
    inherited: true,
    flag: ['--custom-outcomes', 'allow custom outcome names; they count as success'],
  },
  /**
   * Writes down what stages have to do with models, agents and tools, so that the run can be played back. A run that is
   * resumed continues doing so where it did before; child runs do as the run above them.
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
  /** Overrides the graph's `max_steps`. */
  maxSteps: {
    kind: 'count',
    kept: 'if_set',
    onResume: 'replaced',
    onReplay: 'recorded',
    flag: ['--max-steps <n>', 'maximum number of stages'],
    bodies: ['submission', 'resumption'],
  },
  /** Budget of the whole run in US dollars, all stages together; overrides the graph's `budget_usd` (SEMANTICS §12). */
  budgetUsd: {
    kind: 'amount',
    kept: 'if_set',
    onResume: 'replaced',
    onReplay: 'recorded',
    flag: ['--budget-usd <n>', 'maximum cost of the run, in US dollars'],
    bodies: ['submission', 'resumption'],
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
  /** The plugins and settings that handlers and the rest come from, for whoever resumes the run. */
  extensions: {
    kind: 'extensions',
    kept: 'if_set',
    onResume: 'fixed',
    onReplay: 'given',
    inherited: true,
  },
  /**
   * The directory of a recorded run that is played back: nothing real is done, and its inputs, its script and its limits hold
   * unless others are given. A stage that asks for something else than was recorded fails, and with it the run.
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
   * A server that lets no pipeline run commands began the run (§9.5). The command line and servers hold whoever continues with it, forks it
   * or looks after its child runs to that, until somebody says `--allow-tools`.
   */
  restricted: {
    kind: 'switch',
    kept: 'if_set',
    onResume: 'renewed',
    onReplay: 'off',
    inherited: true,
  },
  /** The id of the run, which no other run may have; a new one by default. Without `runDirectory` it names the directory too. */
  runId: {
    kind: 'run_id',
    onResume: 'fixed',
    onReplay: 'given',
  },
  /** The run directory itself; by default a new one below `.attractor/runs`. */
  runDirectory: {
    kind: 'directory',
    onResume: 'fixed',
    onReplay: 'given',
  },
  /** The directory in which tools run and `.attractor` lies; by default the current directory of the process. */
  workingDirectory: {
    kind: 'text',
    onResume: 'fixed',
    onReplay: 'given',
  },
  /** The file that the text came from, for the manifest and for messages. */
  sourcePath: {
    kind: 'text',
    onResume: 'fixed',
    onReplay: 'given',
  },
  /** The node to continue at, instead of where the run stopped (SEMANTICS 66b). */
  from: {
    kind: 'text',
    onResume: 'only',
    onReplay: 'given',
    bodies: ['resumption'],
  },
} as const satisfies Readonly<Record<string, RecordedField>>;

type Fields = typeof recordedFields;
export type FieldName = keyof Fields;

/** The value of a field. */
export type FieldValue<Name extends FieldName> = FieldTypes[Fields[Name]['kind']];

/** The recorded half of the settings of a run: what was asked for, field by field. */
export type RecordedSettings = { readonly [Name in keyof Fields]?: FieldValue<Name> };

/** The names of the fields with a value in a column. */
export type FieldsWith<Column extends Partial<RecordedField>> = {
  [Name in FieldName]: Fields[Name] extends Column ? Name : never;
}[FieldName];

/** The fields by name, as data. */
export const fieldList: readonly (readonly [name: FieldName, field: RecordedField])[] = Object.entries(
  recordedFields,
) as unknown as readonly (readonly [FieldName, RecordedField])[];

/** The name of a field in JSON. */
export type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : '';

export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
