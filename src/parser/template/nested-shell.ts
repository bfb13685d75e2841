import type { Span } from '../../diagnostic/source.js';
import type { OnCommand } from './command-nesting.js';
import type { OnReference } from './reference-reporter.js';
import { scanShell } from './shell-scanner.js';

/** Value in a text that one shell passes to another as a command. */
export interface NestedValue {
  readonly path: string;
  readonly span: Span;
  /** Runner of the second shell: `eval`, `ssh`, or the shell by its name. */
  readonly runner: string;
}

/**
 * Finds the values of a shell command that a second shell reads as a part of its command (SEMANTICS §12):
 * in the script of `sh -c`, in the words of `eval`, and in commands that `ssh` runs on another host. The
 * first shell receives a value as a variable, so that it executes nothing of it; the second one sees only
 * text.
 */
export function valuesInNestedShells(text: string): readonly NestedValue[] {
  const found: NestedValue[] = [];
  /** Values that are not yet assigned to a word, in their order; nested words come first. */
  const pending: PendingValue[] = [];
  const onReference: OnReference = ({ kind, path, span }, place) => {
    // A calculation allows only whole numbers.
    if (kind === 'value' && place !== 'arithmetic') pending.push({ path, span });
  };
  const onCommand: OnCommand = (words) => {
    const inside = takeFrom(pending, words[0]?.start ?? 0);
    if (inside.length === 0) return;
    const script = scriptOf(words.map((word) => unquoted(text.slice(word.start, word.end))));
    if (script === undefined) return;
    const { start } = words[script.from] ?? { start: text.length };
    const { end } = words[script.to] ?? { end: 0 };
    for (const value of inside) {
      if (value.span.start >= start && value.span.end <= end) found.push({ ...value, runner: script.runner });
    }
  };
  scanShell(text, onReference, { onCommand });
  return found.sort((one, other) => one.span.start - other.span.start);
}

type PendingValue = Omit<NestedValue, 'runner'>;

/** Removes and returns those at or after an offset. */
function takeFrom(pending: PendingValue[], offset: number): readonly PendingValue[] {
  let first = pending.length;
  while ((pending[first - 1]?.span.start ?? -1) >= offset) first -= 1;
  return pending.splice(first);
}

function unquoted(word: string): string {
  return word.replaceAll(/\\([\s\S])|["']/g, '$1');
}

/** Words of a simple command that another shell reads: from one index to another. */
interface Script {
  readonly runner: string;
  readonly from: number;
  readonly to: number;
}

const shells: ReadonlySet<string> = new Set(['sh', 'bash', 'dash', 'zsh', 'ksh', 'ash']);

/** Programs that run the command after their own options. */
const wrappers: ReadonlySet<string> = new Set([
  ...['sudo', 'doas', 'env', 'command', 'builtin', 'exec', 'nohup', 'nice', 'time', 'timeout', 'setsid'],
  ...['stdbuf', 'xargs', 'sshpass'],
]);

/** Programs that only print text which looks like a command. */
const printers: ReadonlySet<string> = new Set(['echo', 'printf', ':']);

/** Words that may precede a command: reserved words and assignments. */
const beforeCommand = /^(?:if|then|else|elif|do|while|until|!|\{|[A-Za-z_][A-Za-z0-9_]*\+?=[\s\S]*)$/;

function scriptOf(words: readonly string[]): Script | undefined {
  const first = words.findIndex((word) => !beforeCommand.test(word));
  if (first === -1 || printers.has(words[first] ?? '')) return undefined;
  const mayBeWrapped = wrappers.has(nameOf(words[first]));
  for (let index = first; index < words.length; index += 1) {
    const name = nameOf(words[index]);
    const script = scriptAt(words, index, name);
    if (script !== undefined && (index === first || mayBeWrapped || shells.has(name))) return script;
  }
  return undefined;
}

function scriptAt(words: readonly string[], index: number, name: string): Script | undefined {
  const last = words.length - 1;
  if (name === 'eval') return { runner: 'eval', from: index + 1, to: last };
  if (name === 'ssh') {
    const host = afterOptions(words, index + 1, /^-[A-Za-z]*[BbcDEeFIiJLlmOopQRSWw]$/);
    return { runner: 'ssh', from: host + 1, to: last };
  }
  if (!shells.has(name)) return undefined;
  const script = afterOptions(words, index + 1, /^[-+][A-Za-z]*[oO]$/);
  const hasCommand = words.slice(index + 1, script).some((word) => /^-[A-Za-z]*c[A-Za-z]*$/.test(word));
  return hasCommand ? { runner: `${name} -c`, from: script, to: script } : undefined;
}

/** Index of the first word that is neither an option nor the argument of one. */
function afterOptions(words: readonly string[], from: number, takesArgument: RegExp): number {
  let index = from;
  while (/^[-+]./.test(words[index] ?? '')) index += takesArgument.test(words[index] ?? '') ? 2 : 1;
  return index;
}

/** The name of a program without its path. */
function nameOf(word = ''): string {
  return word.slice(word.lastIndexOf('/') + 1);
}
