import { type Argument, Command, type Option } from 'commander';
import type { CliCommand } from '../command.js';
import type { Io } from '../io.js';
import type { CandidateWord, WordCompletion } from './completion.js';
import { argumentValues, noValues, optionValues } from './values.js';

/**
 * Completes a command line from the declarations that also parse it.
 * @param words what stands after the name of the program, up to the cursor; the last one is being written
 */
export async function completeCommandLine(
  words: readonly string[],
  commands: readonly CliCommand<never>[],
  io: Io,
): Promise<WordCompletion> {
  const current = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  const place = before.findIndex((word) => !word.startsWith('-'));
  const name = before[place];
  if (name === undefined)
    return matching(current, { candidates: topLevel(commands, current), files: 'none' });
  if (name === 'help') return matching(current, { candidates: commandNames(commands), files: 'none' });
  const found = commands.find((command) => command.name === name);
  if (found === undefined) return noValues;
  const command = found.configure(new Command(name));
  const state = readWords(command, before.slice(place + 1));
  return matching(current, await valuesAt(command, state, current, io));
}

function topLevel(commands: readonly CliCommand<never>[], current: string): readonly CandidateWord[] {
  if (!current.startsWith('-')) {
    return [...commandNames(commands), { word: 'help', description: 'show the help of a command' }];
  }
  return [
    { word: '--help', description: 'show this help' },
    { word: '--version', description: 'print the version' },
  ];
}

function commandNames(commands: readonly CliCommand<never>[]): readonly CandidateWord[] {
  return commands.map(({ name, summary }) => ({ word: name, description: summary }));
}

interface WordsRead {
  /** An option that the word before has named, and of which the value is being written. */
  readonly pending: Option | undefined;
  readonly given: readonly string[];
  /** True after `--`, where no word is an option. */
  readonly isAfterDashes: boolean;
}

function readWords(command: Command, words: readonly string[]): WordsRead {
  let pending: Option | undefined;
  const given: string[] = [];
  let isAfterDashes = false;
  for (const word of words) {
    if (pending !== undefined) pending = undefined;
    else if (!isAfterDashes && word === '--') isAfterDashes = true;
    else if (!isAfterDashes && word.startsWith('-') && word !== '-') pending = withValue(command, word);
    else given.push(word);
  }
  return { pending, given, isAfterDashes };
}

function withValue(command: Command, word: string): Option | undefined {
  const option = command.options.find(({ long, short }) => word === long || word === short);
  return option?.required ? option : undefined;
}

async function valuesAt(
  command: Command,
  { pending, given, isAfterDashes }: WordsRead,
  current: string,
  io: Io,
): Promise<WordCompletion> {
  const words = [command.name(), ...given];
  if (pending !== undefined) return optionValues(pending, words, current, io);
  const [, name, value = ''] = /^(--[^=]+)=(.*)$/s.exec(current) ?? [];
  if (name !== undefined && !isAfterDashes) {
    const option = withValue(command, name);
    if (option === undefined) return noValues;
    const values = await optionValues(option, words, value, io);
    const candidates = values.candidates.map((one) => ({ ...one, word: `${name}=${one.word}` }));
    return { ...values, candidates };
  }
  if (current.startsWith('-') && !isAfterDashes) return { candidates: optionNames(command), files: 'none' };
  const argument = argumentAt(command.registeredArguments, given.length);
  return argument === undefined ? noValues : argumentValues(argument, words, io);
}

function optionNames(command: Command): readonly CandidateWord[] {
  const options = command.options.filter(({ hidden }) => !hidden);
  return [
    ...options.map(({ long, short, description }) => ({ word: long ?? short ?? '', description })),
    { word: '--help', description: 'show the help of this command' },
  ];
}

function argumentAt(declared: readonly Argument[], index: number): Argument | undefined {
  const last = declared.at(-1);
  return declared[index] ?? (last?.variadic ? last : undefined);
}

function matching(current: string, { candidates, files }: WordCompletion): WordCompletion {
  return { candidates: candidates.filter(({ word }) => word.startsWith(current)), files };
}
