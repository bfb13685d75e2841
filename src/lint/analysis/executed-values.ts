import type { Span } from '../../diagnostic/source.js';
import { valuesInNestedShells } from '../../parser/template/nested-shell.js';
import { scanShell } from '../../parser/template/shell-scanner.js';

/** Value at a position in a command where its text is executed, and not only passed on. */
export interface ExecutedValue {
  /** Path as in a template: `context.plan`. */
  readonly path: string;
  readonly span: Span;
  /** Program that executes it, for a message: `sh -c`, `python3 -c`, `bash`. */
  readonly runner: string;
}

/**
 * Values of a shell command that something executes: as a part of the command of a second shell or of a
 * program in another language, as input piped into one of these, or as the name of the program to run.
 * Everywhere else a value is only its text (SEMANTICS §12). Variables of the context count if a second
 * shell receives them as its command.
 */
export function executedValues(text: string): readonly ExecutedValue[] {
  const executed = new Map<number, ExecutedValue>();
  const add = (value: ExecutedValue) => {
    if (!executed.has(value.span.start)) executed.set(value.span.start, value);
  };
  for (const value of valuesInNestedShells(text)) add(value);
  for (const value of valuesOfPrograms(text)) add(value);
  for (const value of variablesAsCommands(text)) add(value);
  return [...executed.values()].sort((one, other) => one.span.start - other.span.start);
}

interface Command {
  readonly words: readonly Span[];
  readonly texts: readonly string[];
  readonly start: number;
  readonly end: number;
}

function* valuesOfPrograms(text: string): Iterable<ExecutedValue> {
  const values: { readonly path: string; readonly span: Span }[] = [];
  const commands: Command[] = [];
  scanShell(
    text,
    ({ kind, path, span }, position) => {
      // A calculation allows only whole numbers.
      if (kind === 'value' && position !== 'arithmetic') values.push({ path, span });
    },
    { onCommand: (words) => commands.push(commandOf(text, words)) },
  );
  if (values.length === 0) return;
  commands.sort((one, other) => one.start - other.start);
  for (const [index, command] of commands.entries()) {
    const target = scriptOf(command) ?? pipedInto(text, command, commands[index + 1]);
    if (target === undefined) continue;
    for (const value of values) {
      const isInside = value.span.start >= target.start && value.span.end <= target.end;
      if (isInside) yield { ...value, runner: target.runner };
    }
  }
}

function commandOf(text: string, words: readonly Span[]): Command {
  const texts = words.map(({ start, end }) => text.slice(start, end).replaceAll(/\\([\s\S])|["']/g, '$1'));
  return { words, texts, start: words[0]?.start ?? 0, end: words.at(-1)?.end ?? 0 };
}

interface Target extends Span {
  readonly runner: string;
}

const assignment = /^[A-Za-z_][A-Za-z0-9_]*\+?=/;

/** Programs that execute the text after one of these options. */
const interpreters = /^(?:python[0-9.]*|node|deno|bun|perl|ruby|php|lua|osascript|psql|mysql|sqlite3)$/;
const scriptOption = /^(?:-[A-Za-z]*[cer]|--eval|--exec|--execute|--command)$/;
const shells = /^(?:ba|da|z|k|a)?sh$/;

/** Text that a program of another language executes, or the word that names the program itself. */
function scriptOf({ words, texts }: Command): Target | undefined {
  const first = texts.findIndex((word) => !assignment.test(word));
  const name = nameOf(texts[first]);
  const word = words[first];
  if (word !== undefined && /^\$\{[a-z]+\./.test(texts[first] ?? '')) return { ...word, runner: 'the shell' };
  if (!interpreters.test(name)) return undefined;
  const option = texts.findIndex((text, index) => index > first && scriptOption.test(text));
  const script = option === -1 ? undefined : words[option + 1];
  return script && { ...script, runner: `${name} ${texts[option] ?? ''}` };
}

/** Output of a command that a shell or an interpreter reads from its input as a program. */
function pipedInto(
  text: string,
  { texts, start, end }: Command,
  next: Command | undefined,
): Target | undefined {
  if (next === undefined || !/^\s*(?:2>&1\s*)?\|\s*$/.test(text.slice(end, next.start))) return undefined;
  if (!/^(?:echo|printf|cat)$/.test(nameOf(texts[0]))) return undefined;
  const name = nameOf(next.texts[0]);
  const rest = next.texts.slice(1);
  const readsProgram = rest.every((word) => word === '-' || word === '-s');
  if (!readsProgram || !(shells.test(name) || interpreters.test(name))) return undefined;
  return { start, end, runner: name };
}

const commandVariable =
  /\b(eval|(?:ba|da|z|k|a)?sh\s+-[A-Za-z]*c)\s+(?:"\s*)?\$\{?(ATTRACTOR_CTX_[A-Z0-9_]+)/g;

/** Finds `eval "$ATTRACTOR_CTX_PLAN"`: the same value by another name. */
function* variablesAsCommands(text: string): Iterable<ExecutedValue> {
  if (!text.includes('ATTRACTOR_CTX_')) return;
  for (const match of text.matchAll(commandVariable)) {
    const [matched, runner = '', name = ''] = match;
    const start = match.index + matched.length - name.length;
    yield { path: name, span: { start, end: start + name.length }, runner: runner.replace(/\s+/g, ' ') };
  }
}

/** The name of a program without its path. */
function nameOf(word = ''): string {
  return word.slice(word.lastIndexOf('/') + 1);
}
