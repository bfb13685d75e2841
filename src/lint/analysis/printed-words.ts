import { jqLines } from './jq-lines.js';
import { type ShellCommand, shellCommands } from './shell-commands.js';

/**
 * Lines that a command can print to its standard output, if all that it prints is written in it: `echo PASS`, `printf 'FAIL\n'`.
 * Undefined where another program prints, or a value of the shell. The command may print some of them, or none.
 */
export function printedLines(command: string): ReadonlySet<string> | undefined {
  const commands = shellCommands(command);
  if (commands === undefined) return undefined;
  const lines = new Set<string>();
  for (const [index, one] of commands.entries()) {
    // What another command reads is not printed.
    if (one.isCompound || one.isRedirected || one.after === '|') continue;
    const before = commands[index - 1];
    const printed = linesOf(
      textOf(command, one),
      one,
      before?.after === '|' ? textOf(command, before) : undefined,
    );
    if (printed === undefined) return undefined;
    for (const line of printed) lines.add(line.trim());
  }
  return lines;
}

function textOf(command: string, { start, end }: ShellCommand): string {
  return command.slice(start, end);
}

/** Lines that one command prints, which may read what another one writes. */
function linesOf(
  text: string,
  { words }: ShellCommand,
  input: string | undefined,
): readonly string[] | undefined {
  const [name = '', ...rest] = words;
  if (name === 'echo') return isLiteral(text) && !rest[0]?.startsWith('-') ? [rest.join(' ')] : undefined;
  if (name === 'printf') {
    const format = /^printf\s+(['"])([^%\\$`]*)\\n\1$/.exec(text)?.[2];
    return format === undefined ? undefined : [format];
  }
  if (name === 'jq') return jqLines(text, input);
  return isSilent(name, rest) ? [] : undefined;
}

/** True if the shell prints a text as it is written, but for quotes. */
function isLiteral(text: string): boolean {
  return !/[\\$`*?[\]{}~!]/.test(text);
}

/** Programs that print nothing to their standard output, unless an option such as `-v` makes them. */
const silent =
  /^(?:true|false|:|exit|test|\[|\[\[|cd|set|export|unset|mkdir|rm|touch|cp|mv|chmod|sleep|return|break|continue|wait|shift)$/;

function isSilent(name: string, rest: readonly string[]): boolean {
  if (/^[A-Za-z_][A-Za-z0-9_]*\+?=/.test(name)) return true;
  if (name === 'grep' || name === 'diff' || name === 'cmp')
    return rest.some((word) => isQuietOption(name, word));
  if (!silent.test(name)) return false;
  if (name === 'set' || name === 'export' || name === 'cd')
    return rest.length > 0 && rest[0] !== '-' && rest[0] !== '-p';
  return (
    ['test', '[', '[[', 'exit'].includes(name) || rest.every((word) => !/^-(?:-verbose|\w*[vx])/.test(word))
  );
}

/** `diff -q` prints which files differ. */
function isQuietOption(name: string, word: string): boolean {
  return name === 'grep' ? /^-\w*q/.test(word) : name === 'cmp' && word === '-s';
}
