import { type ShellCommand, shellCommands } from './shell-commands.js';

/**
 * Lines that a command can print to its standard output, if all that it prints is written in it: `echo PASS`, `printf 'FAIL\n'`.
 * Undefined where another program prints, or a value of the shell. The command may print some of them, or none.
 */
export function printedLines(command: string): ReadonlySet<string> | undefined {
  const commands = shellCommands(command);
  if (commands === undefined) return undefined;
  const lines = new Set<string>();
  for (const one of commands) {
    if (one.isCompound || one.isRedirected) continue;
    const printed = lineOf(command.slice(one.start, one.end), one);
    if (printed === undefined) return undefined;
    for (const line of printed) lines.add(line.trim());
  }
  return lines;
}

/** Lines that one command prints. */
function lineOf(text: string, { words, after }: ShellCommand): readonly string[] | undefined {
  const [name = '', ...rest] = words;
  // Another program reads it, and prints what it likes.
  if (after === '|') return undefined;
  if (name === 'echo') return isLiteral(text) && !rest[0]?.startsWith('-') ? [rest.join(' ')] : undefined;
  if (name === 'printf') {
    const format = /^printf\s+(['"])([^%\\$`]*)\\n\1$/.exec(text)?.[2];
    return format === undefined ? undefined : [format];
  }
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
