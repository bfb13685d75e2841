import { type ShellCommand, type ShellStatement, shellCommands, shellStatements } from './shell-commands.js';

/** True for a command that obviously always fails: all of its paths end in `exit 1` or `false`. */
export function alwaysFails(text: string): boolean {
  const commands = shellCommands(text);
  if (commands === undefined || commands.some(mayEndOtherwise)) return false;
  const statements = shellStatements(commands);
  return statements.some(isExit) || endsInFailure(statements.at(-1) ?? [], text);
}

/** A way to end with a code that is not known, or is 0. */
function mayEndOtherwise({ words: [name = '', ...rest] }: ShellCommand): boolean {
  if (name === 'exit') return !isErrorCode(rest);
  return /^(?:return|exec|kill|trap|eval|\.|source|break|continue)$/.test(name);
}

function isErrorCode([code = '', ...rest]: readonly string[]): boolean {
  return rest.length === 0 && /^[1-9]\d{0,2}$/.test(code) && Number(code) < 256;
}

/** `exit 1` as a command: nothing after it runs. */
function isExit(statement: ShellStatement): boolean {
  const [only, ...others] = statement;
  return others.length === 0 && only?.words[0] === 'exit' && only.after !== '&';
}

/** `a && exit 1`: where `a` fails, so does all of it. */
function endsInFailure(statement: ShellStatement, text: string): boolean {
  const last = statement.at(-1);
  if (last === undefined || last.after === '&' || last.isNegated) return false;
  if (statement.slice(0, -1).some(({ after }) => after !== '&&')) return false;
  const [name = ''] = last.words;
  if (!last.isCompound) return name === 'exit' || name === 'false';
  return (name === '{' || name === '(') && alwaysFails(text.slice(last.start + 1, last.end - 1));
}
