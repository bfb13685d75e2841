import type { Span } from '../../diagnostic/source.js';
import { type ShellCommand, type ShellStatement, shellCommands, shellStatements } from './shell-commands.js';

/** Check within a command whose failure the rest of the command hides. */
export interface MaskedFailure {
  /** Last command that can fail. */
  readonly check: ShellCommand;
  /** Span from the operator after the check to the end of the part that hides its exit code. */
  readonly mask: Span;
  /** `|| true`, a filter such as `| tee log`, or a command after it, such as `; echo done`. */
  readonly by: 'alternative' | 'pipe' | 'following';
  /** Command that decides the exit code. */
  readonly deciding: ShellCommand;
  /** True if only this one check is hidden, and nothing stands between it and the hiding part. */
  readonly isAlone: boolean;
}

/**
 * Check whose failure the end of a command hides: the command exits with 0 in any case. Undefined if the
 * command can fail, if nothing in it is a check, and if this cannot be determined.
 */
export function maskedFailure(text: string): MaskedFailure | undefined {
  const commands = shellCommands(text);
  if (commands === undefined || ofAnotherShell.test(text) || commands.some(mayEndOtherwise)) return undefined;
  const statements = shellStatements(commands);
  const stopsAtFailure = statements.some((statement) => statement.some(({ words }) => isErrorExit(words)));
  const decidingStatements = stopsAtFailure ? statements : statements.slice(-1);
  if (decidingStatements.some(statementMayFail)) return undefined;
  const checks = statements.flat().filter(isCheck);
  const check = checks.at(-1);
  const last = statements.at(-1)?.at(-1);
  if (check === undefined || last === undefined) return undefined;
  const statement = statements.find((one) => one.includes(check)) ?? [];
  const isInLast = statement === statements.at(-1);
  const by = !isInLast ? 'following' : check.after === '|' ? 'pipe' : 'alternative';
  const hider = by === 'pipe' ? (endOfPipeline(statement, check) ?? last) : last;
  return {
    check,
    mask: { start: check.end, end: hider.end },
    by,
    deciding: hider,
    isAlone: checks.length === 1 && commands.indexOf(hider) === commands.indexOf(check) + 1,
  };
}

/** True for a command that ends with its own exit code, or a setting that changes which one counts. */
function mayEndOtherwise({ words }: ShellCommand): boolean {
  const [name, ...rest] = words;
  if (name === 'exit') return rest.join(' ') !== '0';
  if (name === 'set') return rest.includes('pipefail') || rest.includes('errexit');
  return /^(?:return|exec|kill|trap|eval)$/.test(name ?? '');
}

/** Pattern of a text that another shell reads, or that uses more than `sh` supports. */
const ofAnotherShell = /^\s*#!(?!\s*\/bin\/sh\s*$)|\b(?:PIPESTATUS|pipestatus)\b/m;

function statementMayFail(statement: ShellStatement): boolean {
  if (statement.at(-1)?.after === '&') return false;
  let mayFail = false;
  let joint = '&&';
  for (const [index, command] of statement.entries()) {
    if (command.after === '|') continue;
    const isPiped = statement[index - 1]?.after === '|';
    const hidesFailure = command.isNegated || !(neverFails(command) || (isPiped && isFilter(command)));
    mayFail = joint === '||' ? mayFail && hidesFailure : mayFail || hidesFailure;
    joint = command.after;
  }
  return mayFail;
}

function endOfPipeline(statement: ShellStatement, check: ShellCommand): ShellCommand | undefined {
  return statement.slice(statement.indexOf(check)).find(({ after }) => after !== '|');
}

function neverFails({ words, isCompound }: ShellCommand): boolean {
  if (isCompound) return false;
  if (words[0] === 'set' || words.every((word) => /^[A-Za-z_][A-Za-z0-9_]*=[^$`]*$/.test(word))) return true;
  return /^(?:echo|printf|true|:|exit)$/.test(words[0] ?? '');
}

/** True for programs that pass their input on, and hardly ever fail. */
function isFilter({ words }: ShellCommand): boolean {
  return /^(?:tee|cat|head|tail)$/.test(words[0] ?? '');
}

function isErrorExit([name, ...options]: readonly string[]): boolean {
  return name === 'set' && options.some((option) => /^-[a-zA-Z]*e/.test(option));
}

/** True for a command whose result matters: not for one that prints, or only prepares. */
function isCheck(command: ShellCommand): boolean {
  if (command.isCompound || command.after === '&') return false;
  return !neverFails(command) && !preparations.test(command.words[0] ?? '');
}

const preparations =
  /^(?:cd|pushd|popd|rm|rmdir|mkdir|touch|cp|mv|ln|chmod|chown|cat|ls|tee|head|tail|sleep|date|export|unset|umask|pwd|wait|pkill|killall|\.|source|false)$/;
