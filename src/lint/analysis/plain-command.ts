/**
 * True if every shell surely accepts a command: words, quoted texts and variables, joined by `;`, `|`,
 * `&&`, `||` and redirections, without the rest of the language. False proves nothing; most commands of
 * pipelines are this plain and need not be checked by a shell.
 */
export function isPlainCommand(command: string): boolean {
  let state: State = 'start';
  token.lastIndex = 0;
  while (token.lastIndex < command.length) {
    const groups = token.exec(command)?.groups;
    if (groups === undefined) return false;
    const { redirection, joint, end, newline, word } = groups;
    if (word !== undefined) {
      if (state !== 'redirection' && keywords.has(word)) return false;
      state = 'command';
    } else if (redirection !== undefined) {
      if (state === 'redirection') return false;
      state = 'redirection';
    } else if (joint !== undefined) {
      if (state !== 'command') return false;
      state = 'joined';
    } else if (end !== undefined) {
      if (state !== 'command') return false;
      state = 'start';
    } else if (newline !== undefined) {
      if (state === 'redirection') return false;
      if (state === 'command') state = 'start';
    }
  }
  return state === 'start' || state === 'command';
}

/** Expectation for the next token: anything, more of a command, a command after `&&`, a word after `>`. */
type State = 'start' | 'command' | 'joined' | 'redirection';

/**
 * Words that the shell treats specially at the beginning of a command; a plain command does not have them
 * at all.
 */
const keywords: ReadonlySet<string> = new Set([
  ...[
    'if',
    'then',
    'else',
    'elif',
    'fi',
    'do',
    'done',
    'case',
    'esac',
    'while',
    'until',
    'for',
    'in',
    '!',
    '{',
  ],
  ...['}', '[[', ']]', 'function', 'select', 'time', 'coproc', 'repeat', 'foreach', 'end', 'alias', 'noglob'],
]);

// A word may hold escaped characters, but no line continuation, no comment and nothing in backquotes or
// `$(…)`.
const token =
  /[ \t]+|(?<redirection>[0-9]*(?:>>|>\||[<>]&|[<>])(?![<>&|(]))|(?<joint>&&|\|\|?)|(?<end>[;&](?![;&>]))|(?<newline>\n)|(?<word>(?:[A-Za-z0-9_./:=@%+,*?[\]-]|'[^']*'|"(?:[^"\\`$]|\\[^\n]|\$[A-Za-z_][A-Za-z0-9_]*|\$\{[A-Za-z_][A-Za-z0-9_]*\})*"|\\[A-Za-z0-9"'$. ]|\$[A-Za-z_][A-Za-z0-9_]*|\$\{[A-Za-z_][A-Za-z0-9_]*\}|\$\?)+)/y;
