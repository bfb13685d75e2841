import { type Command, InvalidArgumentError, Option } from 'commander';
import type { BudgetLimit, StageBudgets } from '../graph/budget-limit.js';
import type { Graph } from '../graph/graph.js';
import { isRecord, type JsonValue } from '../graph/json.js';
import { addStageBudget, readBudget, stageBudgetForm } from '../graph/read-budget.js';
import type { Inputs } from '../graph/values/declared-inputs.js';
import { readNamedFile } from '../run-directory/named-file.js';
import {
  type FieldKind,
  type FieldsWith,
  type FieldValue,
  fieldList,
  type RecordedSettings,
} from '../run-directory/recorded-fields.js';
import { describeSystemError } from '../run-directory/run-error.js';
import type { SimulationScript } from '../run-directory/simulation-script.js';
import type { ExtensionArguments } from '../setup/extensions.js';
import { locateFile } from '../setup/locate-file.js';
import { UsageError } from '../setup/usage-error.js';
import { addExtensionOptions } from './extension-options.js';
import type { Io } from './io.js';

type Flagged = FieldsWith<{ readonly flag: readonly [string, string] }>;

/** The options whose values are those of their fields. */
type PlainArguments = {
  readonly [Name in Flagged &
    FieldsWith<{ readonly kind: 'switch' | 'count' | 'whole' | 'budget' }>]?: FieldValue<Name>;
};

/** The options that `run`, `resume` and `fork` share; a switch is false only where the call says so. */
export interface CommonArguments extends ExtensionArguments, PlainArguments {
  readonly answer?: readonly KeyValue[];
  readonly script?: string;
  readonly set?: readonly KeyValue[];
  readonly stageBudget?: StageBudgets;
  readonly inputs?: string;
  readonly json?: true;
  readonly events?: true;
  readonly verbose?: true;
  readonly detach?: true;
  /** The process in the background of a call with `--detach`. */
  readonly detached?: true;
}

export interface KeyValue {
  readonly key: string;
  readonly value: string;
}

/** Adds the options that choose backend, model and provider. */
export function addModelOptions(command: Command): Command {
  return command
    .option(
      '--backend <name>',
      'backend for LLM stages: auto, ai, acp, command, simulate, or a name from a plugin',
    )
    .option('--model <name>', 'default model of LLM stages, such as claude-sonnet-4-5')
    .option('--provider <name>', 'default provider or coding agent of LLM stages');
}

/** Adds the option of a field, if it has one. */
function addFieldOption(command: Command, { kind, flag }: RunFieldFlag): void {
  if (flag === undefined) return;
  const [syntax, help] = flag;
  const read = readers[kind];
  if (read === undefined) command.option(syntax, help);
  else command.option<unknown>(syntax, help, read);
}

interface RunFieldFlag {
  readonly kind: FieldKind;
  readonly flag?: readonly [string, string];
}

/** Adds the options that give inputs. */
export function addInputOptions(command: Command): Command {
  for (const [, field] of fieldList) if (field.kind === 'inputs') addFieldOption(command, field);
  return command.option(
    '--inputs <file>',
    'inputs of the pipeline from a JSON or YAML file; --set overrides it',
  );
}

export function addCommonOptions(command: Command): Command {
  addModelOptions(addExtensionOptions(command)).option(
    '--interviewer <name>',
    'who answers questions: console, auto-approve, none, wait, or a name from a plugin',
  );
  for (const [, field] of fieldList) addFieldOption(command, field);
  return command
    .option('--inputs <file>', 'inputs of the pipeline from a JSON or YAML file; --set overrides it')
    .option('--verbose', 'show what models say and commands print while stages run')
    .addOption(
      new Option(
        '--detach',
        'run it in the background: print its name as soon as it has begun; its questions wait for `attractor answer`',
      ).conflicts(['events', 'verbose']),
    )
    .addOption(new Option('--detached').hideHelp())
    .option('--json', 'print the result as one JSON object')
    .addOption(
      new Option('--events', 'print every event as a line of JSON; the last line is the result').conflicts(
        'json',
      ),
    );
}

/**
 * The settings that a call gives, with the files that it names.
 * @throws UsageError or RunError `usage` for a file that cannot be used
 */
export async function settingsOfCall(args: CommonArguments, graph: Graph, io: Io): Promise<RecordedSettings> {
  const { script } = args;
  return recordedSettingsOf(args, {
    script: script === undefined ? undefined : await loadScript(script, io.cwd()),
    inputs: await inputsOf(args, graph, io.cwd()),
  });
}

/** Content of the files and texts that a call gives. */
interface GivenData {
  /** Script of `--script`. */
  readonly script?: SimulationScript;
  /** Inputs of `--inputs` and `--set`. */
  readonly inputs?: Inputs;
}

/** The same with what the call's files and texts say. */
function recordedSettingsOf(args: CommonArguments, { script, inputs }: GivenData): RecordedSettings {
  const given = new Map<string, unknown>(Object.entries(args));
  const fields = fieldList.flatMap(([name, { kind, flag }]) => {
    if (flag === undefined) return [];
    const value = given.get(argumentName(flag[0]));
    switch (kind) {
      case 'script':
        return [[name, script]];
      case 'answers':
        return [[name, answersOf(value as CommonArguments['answer'])]];
      case 'inputs':
        return [[name, inputs]];
      default:
        return [[name, value]];
    }
  });
  return Object.fromEntries(fields);
}

/** The name that the parser of the command line gives an option: `--budget-usd <n>` is `budgetUsd`. */
export function argumentName(syntax: string): string {
  const [long = ''] = syntax.replace('--', '').split(' ');
  return long.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** Collects `key=value` arguments in their order. */
function collectAssignment(text: string, before: unknown): readonly KeyValue[] {
  const split = text.indexOf('=');
  if (split < 1) throw new InvalidArgumentError('Expected name=value.');
  const others = (before ?? []) as readonly KeyValue[];
  return [...others, { key: text.slice(0, split).trim(), value: text.slice(split + 1) }];
}

function parsePositiveInteger(text: string): number {
  if (!/^[0-9]+$/.test(text) || Number(text) < 1) {
    throw new InvalidArgumentError('Expected a whole number of at least 1.');
  }
  return Number(text);
}

export function parseBudget(text: string): BudgetLimit {
  const amount = readBudget(text);
  if (amount === undefined)
    throw new InvalidArgumentError('Expected a number of at least 0, such as 2.50, or none.');
  return amount;
}

/** Collects the budgets of stages. */
function collectStageBudget(text: string, before: unknown): StageBudgets {
  const budgets = addStageBudget(text, (before ?? {}) as StageBudgets);
  if (budgets === undefined) throw new InvalidArgumentError(`Expected ${stageBudgetForm}.`);
  return budgets;
}

function parseWholeNumber(text: string): number {
  if (!/^[0-9]+$/.test(text) || !Number.isSafeInteger(Number(text))) {
    throw new InvalidArgumentError('Expected a whole number of at least 0.');
  }
  return Number(text);
}

const readers: Readonly<Partial<Record<FieldKind, (text: string, before: unknown) => unknown>>> = {
  count: parsePositiveInteger,
  whole: parseWholeNumber,
  budget: parseBudget,
  stage_budgets: collectStageBudget,
  answers: collectAssignment,
  inputs: collectAssignment,
};

/** Answers by node, in the order in which they were given. */
function answersOf(
  answers: readonly KeyValue[] | undefined,
): ReadonlyMap<string, readonly string[]> | undefined {
  if (answers === undefined) return undefined;
  const byNode = new Map<string, string[]>();
  for (const { key, value } of answers) byNode.set(key, [...(byNode.get(key) ?? []), value]);
  return byNode;
}

/** `--set` values, read by the types that the pipeline declares, over those of `--inputs` (SEMANTICS 97, 101). */
async function inputsOf(
  { inputs, set }: CommonArguments,
  graph: Graph,
  cwd: string,
): Promise<Inputs | undefined> {
  const given = inputs === undefined ? undefined : await loadInputs(inputs, cwd);
  if (set === undefined) return given;
  const { declaredInputs, readInputTexts } = await import('../graph/values/declared-inputs.js');
  const texts = set.map(({ key, value }) => [key, value] as const);
  return { ...given, ...readInputTexts(texts, declaredInputs(graph)) };
}

/**
 * Reads a simulation script, JSON or YAML (DESIGN §5).
 * @param file as the user named it, seen from the directory of the call
 * @throws UsageError or RunError `usage`
 */
async function loadScript(file: string, cwd: string): Promise<SimulationScript> {
  const { readScript } = await import('../run-directory/simulation-script.js');
  return readScript(await loadData(file, 'script', cwd), file);
}

/**
 * Reads a file of inputs, JSON or YAML: one value for each name (SEMANTICS 101).
 * @param file as the user named it, seen from the directory of the call
 * @throws UsageError
 */
async function loadInputs(file: string, cwd: string): Promise<Inputs> {
  const values = await loadData(file, 'inputs', cwd);
  // An empty YAML file is null.
  if (values === null) return {};
  if (!isRecord(values))
    throw new UsageError(`${file} has no names of inputs; expected a map of names to values`);
  return values as Readonly<Record<string, JsonValue>>;
}

async function loadData(file: string, what: string, cwd: string): Promise<unknown> {
  const { parse, YAMLParseError } = await import('yaml');
  let text: string;
  try {
    text = readNamedFile(locateFile(file, cwd)).toString('utf8');
  } catch (error) {
    throw new UsageError(`cannot read the ${what} ${file}: ${describeSystemError(error)}`);
  }
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof YAMLParseError)) throw error;
    throw new UsageError(
      `the ${what} ${file} is neither JSON nor YAML: ${error.message.split('\n', 1)[0]?.replace(/:$/, '')}`,
    );
  }
}
