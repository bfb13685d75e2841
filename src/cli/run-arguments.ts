import { readFileSync } from 'node:fs';
import { type Command, InvalidArgumentError } from 'commander';
import type { JsonValue } from '../graph/json.js';
import { describeSystemError } from '../run-directory/run-error.js';
import type { SimulationScript } from '../run-directory/simulation-script.js';
import type { ExtensionArguments } from '../setup/extensions.js';
import { locateFile } from '../setup/locate-file.js';
import { UsageError } from '../setup/usage-error.js';
import { addExtensionOptions } from './extension-options.js';

/** The options that `run` and `resume` share. */
export interface CommonArguments extends ExtensionArguments {
  /** False only where the call says so. */
  readonly simulate?: boolean;
  readonly autoApprove?: true;
  readonly answer?: readonly Assignment[];
  readonly maxSteps?: number;
  readonly budgetUsd?: number;
  readonly budgetTokens?: number;
  readonly strictValues?: true;
  readonly customOutcomes?: true;
  readonly record?: true;
  readonly script?: string;
  readonly seed?: number;
  readonly set?: readonly Assignment[];
  readonly json?: true;
  readonly events?: true;
}

export interface Assignment {
  readonly key: string;
  readonly value: string;
}

export function addCommonOptions(command: Command): Command {
  return addExtensionOptions(command)
    .option(
      '--backend <name>',
      'what does the work of LLM stages: auto, ai, acp, command, simulate, or a name from a plugin',
    )
    .option('--model <name>', 'the model of stages that name none, as its provider calls it')
    .option('--provider <name>', 'the provider, or the coding agent, of stages that name none')
    .option('--interviewer <name>', 'who is asked: console, auto-approve, none, or a name from a plugin')
    .option('--simulate', 'pretend to do the work of every stage that is not scripted')
    .option('--auto-approve', 'answer every question of the pipeline with yes, or with the first choice')
    .option('--answer <node=choice>', 'answer the question of a gate; may be repeated', collectAssignment)
    .option('--script <file>', 'scripted outcomes and answers, JSON or YAML')
    .option('--seed <n>', 'what decides in a simulation where something is left to chance', parseWholeNumber)
    .option('--set <key=value>', 'an input of the pipeline; may be repeated', collectAssignment)
    .option('--strict-values', 'fail a stage that is to be given a value that the run does not have')
    .option('--custom-outcomes', 'take outcomes that are words of their own for successes, and route by them')
    .option('--record', 'write down what stages have to do with models, agents and tools, for a replay')
    .option('--max-steps <n>', 'how many stages may be executed', parsePositiveInteger)
    .option('--budget-usd <n>', 'what the whole run may cost, in US dollars', parseAmount)
    .option('--budget-tokens <n>', 'how many tokens the whole run may use', parseWholeNumber)
    .option('--json', 'print the result as one JSON object')
    .option('--events', 'print every event as a line of JSON, and the result as the last one');
}

/** Collects `key=value` arguments in their order. */
function collectAssignment(text: string, before: readonly Assignment[] | undefined): readonly Assignment[] {
  const split = text.indexOf('=');
  if (split < 1) throw new InvalidArgumentError('Expected name=value.');
  return [...(before ?? []), { key: text.slice(0, split).trim(), value: text.slice(split + 1) }];
}

function parsePositiveInteger(text: string): number {
  if (!/^[0-9]+$/.test(text) || Number(text) < 1) {
    throw new InvalidArgumentError('Expected a whole number of at least 1.');
  }
  return Number(text);
}

function parseAmount(text: string): number {
  const amount = /^[0-9]*\.?[0-9]+$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isFinite(amount))
    throw new InvalidArgumentError('Expected a number of at least 0, such as 2.50.');
  return amount;
}

function parseWholeNumber(text: string): number {
  if (!/^[0-9]+$/.test(text) || !Number.isSafeInteger(Number(text))) {
    throw new InvalidArgumentError('Expected a whole number of at least 0.');
  }
  return Number(text);
}

/** Answers by node, in the order in which they were given. */
export function answersOf(
  answers: readonly Assignment[] | undefined,
): ReadonlyMap<string, readonly string[]> | undefined {
  if (answers === undefined) return undefined;
  const byNode = new Map<string, string[]>();
  for (const { key, value } of answers) byNode.set(key, [...(byNode.get(key) ?? []), value]);
  return byNode;
}

/** `--set` values: JSON where they are a number, boolean, null, list or object, else text (SEMANTICS 97). */
export function inputsOf(
  assignments: readonly Assignment[] | undefined,
): Readonly<Record<string, JsonValue>> {
  return Object.fromEntries((assignments ?? []).map(({ key, value }) => [key, inputValue(value)]));
}

function inputValue(text: string): JsonValue {
  try {
    const value = JSON.parse(text) as JsonValue;
    return typeof value === 'string' ? text : value;
  } catch {
    return text;
  }
}

/**
 * Reads a simulation script, JSON or YAML (DESIGN §5).
 * @param file as the user named it, seen from the directory of the call
 * @throws UsageError or RunError `usage`
 */
export async function loadScript(file: string, cwd: string): Promise<SimulationScript> {
  const { parse, YAMLParseError } = await import('yaml');
  const { readScript } = await import('../run-directory/simulation-script.js');
  let text: string;
  try {
    text = readFileSync(locateFile(file, cwd), 'utf8');
  } catch (error) {
    throw new UsageError(`cannot read the script ${file}: ${describeSystemError(error)}`);
  }
  try {
    return readScript(parse(text), file);
  } catch (error) {
    if (!(error instanceof YAMLParseError)) throw error;
    throw new UsageError(`the script ${file} is neither JSON nor YAML: ${error.message.split('\n', 1)[0]}`);
  }
}
