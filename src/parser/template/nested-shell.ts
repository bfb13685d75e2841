import type { Span } from '../../diagnostic/source.js';
import type { OnCommand } from './command-nesting.js';
import type { OnReference } from './reference-reporter.js';
import { scanShell } from './shell-scanner.js';

/** A value in what one shell hands to another one as a command. */
export interface NestedValue {
  readonly path: string;
  readonly span: Span;
  /** What runs the second shell: `eval`, `ssh`, or the shell by its name. */
  readonly runner: string;
}

/**
 * The values of a shell command that a second shell reads as a part of its own command (SEMANTICS §12): in the script of
 * `sh -c`, in the words of `eval`, and in what `ssh` runs on another host. The first shell is given a value as a variable, so that
 * it executes nothing of it; the second one sees only text.
 */
export function valuesInNestedShells(text: string): readonly NestedValue[] {
  const found: NestedValue[] = [];
  /** In no word yet, in their order: words are told from the inside out. */
  const pending: PendingValue[] = [];
  const onReference: OnReference = ({ kind, path, span }, place) => {
    // In a calculation only whole numbers may stand.
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

/** Takes away those that stand at an offset or after it. */
function takeFrom(pending: PendingValue[], offset: number): readonly PendingValue[] {
  let first = pending.length;
  while ((pending[first - 1]?.span.start ?? -1) >= offset) first -= 1;
  return pending.splice(first);
}

function unquoted(word: string): string {
  return word.replaceAll(/\\([\s\S])|["']/g, '$1');
}

/** Which words of a simple command another shell reads: from one index to another. */
interface Script {
  readonly runner: string;
  readonly from: number;
  readonly to: number;
}

const shells: ReadonlySet<string> = new Set(['sh', 'bash', 'dash', 'zsh', 'ksh', 'ash']);

/** They run the command that follows them, after options of their own. */
const wrappers: ReadonlySet<string> = new Set([
  ...['sudo', 'doas', 'env', 'command', 'builtin', 'exec', 'nohup', 'nice', 'time', 'timeout', 'setsid'],
  ...['stdbuf', 'xargs', 'sshpass'],
]);

/** They only print what looks like a command. */
const printers: ReadonlySet<string> = new Set(['echo', 'printf', ':']);

/** What may stand before a command: reserved words and assignments. */
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

/** The first word that is neither an option nor the argument of one. */
function afterOptions(words: readonly string[], from: number, takesArgument: RegExp): number {
  let index = from;
  while (/^[-+]./.test(words[index] ?? '')) index += takesArgument.test(words[index] ?? '') ? 2 : 1;
  return index;
}

/** The name of a program without its path. */
function nameOf(word = ''): string {
  return word.slice(word.lastIndexOf('/') + 1);
}
