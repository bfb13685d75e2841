import { type ShellCommand, shellCommands } from './shell-commands.js';

/**
 * Program in a command that prints a text with a line end after it: `echo pass`, or `wc -l` for a number.
 * Undefined if the text may be printed without one.
 */
export function printerOfLine(command: string, text: string): string | undefined {
  const commands = shellCommands(command) ?? [];
  const printing = commands.filter(({ isCompound, after, isRedirected }) => {
    return !isCompound && after !== '|' && !isRedirected;
  });
  if (printing.some((one) => mayPrintWithoutEnd(command, one, text))) return undefined;
  const printer = printing.find((one) => printsLine(command, one, text));
  if (printer !== undefined) return printer.words[0];
  const last = printing.at(-1);
  const isOnly = printing.every((one) => one === last || /^(?:cd|mkdir|rm|set|export|:)$/.test(nameOf(one)));
  return isOnly && last !== undefined && printers.test(last.words.join(' ')) ? nameOf(last) : undefined;
}

/** Programs that print one line, and nothing without a line end. */
const printers =
  /^(?:wc|date|pwd|basename|dirname|whoami|hostname|nproc|uname|git (?:rev-parse|branch --show-current|rev-list --count)|grep -c)(?: |$)/;

function nameOf({ words }: ShellCommand): string {
  return words[0] ?? '';
}

/**
 * True if a program prints a line: `printf` does if its format ends so; `echo -n` and `echo -e` differ
 * between shells.
 */
function printsLine(command: string, one: ShellCommand, text: string): boolean {
  const { words, start, end } = one;
  if (words[0] === 'echo') return !isOption(words[1]) && words.slice(1).join(' ') === text;
  const format = /^printf\s+(['"])([\s\S]*)\\n\1$/.exec(command.slice(start, end));
  return format?.[2] === text;
}

function mayPrintWithoutEnd(command: string, one: ShellCommand, text: string): boolean {
  const { words, start, end } = one;
  const isPrinter = words[0] === 'printf' || (words[0] === 'echo' && isOption(words[1]));
  const mayHaveText = command.slice(start, end).includes(text) || words.some((word) => /[%$`]/.test(word));
  return isPrinter && mayHaveText && !printsLine(command, one, text);
}

function isOption(word: string | undefined): boolean {
  return word !== undefined && /^-[neE]+$/.test(word);
}
