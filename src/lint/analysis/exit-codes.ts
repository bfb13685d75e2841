import { type ShellCommand, type ShellStatement, shellCommands, shellStatements } from './shell-commands.js';

/**
 * Codes with which a command can end, if all of them are written in it: `exit 3`, `true`, `test -f x && exit 2 || exit 1`.
 * Undefined where a program or a variable decides. It may end with some of them, or with one.
 */
export function exitCodes(text: string): ReadonlySet<number> | undefined {
  // An expansion may end the shell.
  const commands = /\$\{[^}]*\?/.test(text) ? undefined : shellCommands(text);
  if (commands === undefined || commands.length === 0 || commands.some(isUnreadable)) return undefined;
  const statements = shellStatements(commands);
  if (statements.some(exitsInPipe)) return undefined;
  const codes = new Set<number>();
  let isOver = false;
  let last: Codes = [];
  for (const statement of statements) {
    if (isOver) break;
    const ending = endingOf(statement, text);
    for (const code of ending.exits) codes.add(code);
    isOver = ending.isOver;
    last = ending.after;
  }
  if (typeof last === 'string') return undefined;
  if (!isOver) for (const code of last) codes.add(code);
  return codes;
}

/** True for a command of which each part belongs to the shell, so that nothing in it writes a status file. */
export function isOfShellAlone(text: string): boolean {
  const commands = shellCommands(text) ?? [];
  const isKnown = ({ words: [name = ''], isCompound }: ShellCommand): boolean =>
    !isCompound && /^(?:true|false|:|echo|printf|exit|test|\[)$/.test(name);
  return commands.length > 0 && commands.every(isKnown) && !/[$`]\(|`|>/.test(text);
}

/** Codes of a command that ends; those that are not known are any, or any but 0. */
type Codes = readonly number[] | 'any' | 'failure';

/** End of a statement: codes after which the next one runs, and those with which it ends the whole command. */
interface Ending {
  readonly after: Codes;
  readonly exits: readonly number[];
  /** True if nothing runs after it. */
  readonly isOver: boolean;
}

/** Words that change what others do, or end a command elsewhere. */
const changing = /^(?:set|trap|exec|eval|kill|return|break|continue|source|\.|alias|command|builtin|unset)$/;

/** A command whose parts this reader does not follow. */
function isUnreadable({ words: [name = '', ...rest], isCompound, depth, after }: ShellCommand): boolean {
  if (isCompound || depth > 0 || after === '&') return true;
  if (name === 'exit') return rest.length !== 1 || !isCode(rest[0] ?? '');
  return changing.test(name) || /[$`]/.test(name);
}

function isCode(text: string): boolean {
  return /^\d{1,3}$/.test(text) && Number(text) < 256;
}

/** A part of a pipe has a shell of its own, which is all that it can end. */
function exitsInPipe(statement: ShellStatement): boolean {
  return statement.some(({ after }) => after === '|') && statement.some(({ words }) => words[0] === 'exit');
}

/** Codes of a list joined by `&&`, `||` and `|`, from the left to the right. */
function endingOf(statement: ShellStatement, text: string): Ending {
  const [only] = statement.slice(-1);
  if (statement.some(({ after }) => after === '|')) {
    const isPlain = statement.every(({ isNegated, after }) => {
      return !isNegated && (after === '|' || after === only?.after);
    });
    return {
      after: isPlain && only !== undefined ? codesOf(only, text) : 'any',
      exits: [],
      isOver: false,
    };
  }
  const exits: number[] = [];
  let codes: Codes = [];
  let join = '';
  for (const command of statement) {
    const skipped: Codes = join === '' ? [] : kept(codes, join);
    if (join === '' || mayFollow(codes, join)) {
      const isExit = command.words[0] === 'exit';
      if (isExit) exits.push(Number(command.words[1]));
      codes = isExit ? skipped : union(skipped, codesOf(command, text));
    }
    join = command.after;
    if (codes.length === 0) return { after: [], exits, isOver: true };
  }
  return { after: codes, exits, isOver: false };
}

/** True if one of the codes lets the next command of a list run. */
function mayFollow(codes: Codes, join: string): boolean {
  if (codes === 'failure') return join === '||';
  return codes === 'any' || codes.some((code) => (code === 0) === (join === '&&'));
}

/** Codes after which the next command of a list does not run. */
function kept(codes: Codes, join: string): Codes {
  if (codes === 'any') return join === '||' ? [0] : 'failure';
  if (codes === 'failure') return join === '||' ? [] : 'failure';
  return codes.filter((code) => (code === 0) !== (join === '&&'));
}

function union(one: Codes, other: Codes): Codes {
  if (typeof one === 'object' && typeof other === 'object') return [...new Set([...one, ...other])];
  const areFailures = [one, other].every(
    (some) => some === 'failure' || (some !== 'any' && !some.includes(0)),
  );
  return areFailures ? 'failure' : 'any';
}

/** Commands of the shell that always end with the same code, whatever comes in. */
function codesOf(
  { words: [name = '', ...rest], isNegated, isRedirected, start, end }: ShellCommand,
  text: string,
): Codes {
  const codes = ownCodes(name, rest, isRedirected, text.slice(start, end));
  if (!isNegated) return codes;
  return typeof codes === 'string' ? [0, 1] : codes.map((code) => (code === 0 ? 1 : 0));
}

function ownCodes(name: string, rest: readonly string[], isRedirected: boolean, text: string): Codes {
  // A file may not be writable.
  if (isRedirected) return 'any';
  if (name === 'true' || name === ':' || name === 'echo') return [0];
  if (name === 'false') return [1];
  return name === 'printf' && rest.length === 1 && /^printf\s+(['"])[^%\\$`]*(?:\\n)?\1$/.test(text)
    ? [0]
    : 'any';
}
