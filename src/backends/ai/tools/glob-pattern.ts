import { RE2JS, RE2JSException } from 're2js';
import { ToolProblem } from './agent-tool.js';

/** A glob that is matched in time linear in the path. */
export interface GlobPattern {
  matches(path: string): boolean;
  /** Leading directories without a wildcard, such as `src/api` of `src/api/*.ts`. */
  readonly base: string;
  /** Upper bound of the names in a matching path; infinite with `**`. */
  readonly depth: number;
}

/**
 * Compiles a glob to a regular expression of RE2, which never backtracks: `*`, `?`, `[…]` and `{…,…}`, `**`
 * for any number of directories, and `\` to take the next character literally.
 * @throws ToolProblem for a malformed set of characters
 */
export function globPattern(glob: string): GlobPattern {
  const parts = glob.split('/').filter((part) => part !== '' && part !== '.');
  const pattern = compile(glob, regularExpression(parts.join('/')));
  const wild = parts.findIndex((part) => /[*?[\]{}\\]/.test(part));
  return {
    matches: (path) => pattern.matcher(path).find(),
    base: parts.slice(0, wild === -1 ? -1 : Math.min(wild, parts.length - 1)).join('/'),
    depth: glob.includes('**') ? Number.POSITIVE_INFINITY : parts.length,
  };
}

function compile(glob: string, expression: string): RE2JS {
  try {
    return RE2JS.compile(`^(?:${expression})$`, RE2JS.DOTALL);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    throw new ToolProblem(`the glob "${glob}" cannot be read: ${error.message}`);
  }
}

const token = /(?<=^|[/{,])\*\*(?:\/|(?=[,}])|$)|\*|\?|\[[!^]?\]?[^\]/]*\]|\\.|[{},]|[^*?[\\{},]+|./gsu;

function regularExpression(glob: string): string {
  const hasBraces = isBalanced(glob);
  let open = 0;
  return (glob.match(token) ?? [])
    .map((text) => {
      if (hasBraces && text === '{') open += 1;
      const translated = translate(text, open > 0);
      if (hasBraces && text === '}') open -= 1;
      return translated;
    })
    .join('');
}

function translate(text: string, inBraces: boolean): string {
  if (text === '**/') return '(?:[^/]+/)*';
  if (text === '**') return '.*';
  if (text === '*') return '[^/]*';
  if (text === '?') return '[^/]';
  if (text.startsWith('[') && text.length > 1) return characters(text.slice(1, -1));
  if (text.startsWith('\\') && text.length > 1) return RE2JS.quote(text.slice(1));
  const braces: Readonly<Record<string, string>> = { '{': '(?:', ',': '|', '}': ')' };
  return (inBraces ? braces[text] : undefined) ?? RE2JS.quote(text);
}

function characters(inner: string): string {
  const isNegated = /^[!^]/.test(inner);
  const set = (isNegated ? inner.slice(1) : inner).replace(/[\\[\]^&]/g, '\\$&');
  return isNegated ? `[^/${set}]` : `[${set}]`;
}

/** True if each brace has its counterpart; otherwise all braces are ordinary characters. */
function isBalanced(glob: string): boolean {
  let open = 0;
  for (const brace of glob.replace(/\\./g, '').match(/[{}]/g) ?? []) {
    open += brace === '{' ? 1 : -1;
    if (open < 0) return false;
  }
  return open === 0;
}
