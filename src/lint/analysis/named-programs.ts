import type { Span } from '../../diagnostic/source.js';
import { shellCommands } from './shell-commands.js';

/**
 * Programs that a command for `sh` certainly starts by their names: the first word of each of its simple
 * commands, except builtins. It leaves out a name that the shell makes up (`$TOOL`, `~/bin/x`), a text
 * that is hard to read (functions, here-documents, `eval`), one that sets its own search path, a command
 * whose failure `||` takes, and one that the text looks for itself (`command -v jq`).
 * A path (`./build.sh`) counts only if no other program runs before it: that could write the file, or change
 * the directory.
 * @returns where each is named first
 */
export function namedPrograms(text: string): ReadonlyMap<string, Span> {
  const found = new Map<string, Span>();
  if (changesMeaning.test(text)) return found;
  const soughtFor = new Set([...text.matchAll(seeking)].map(([, name = '']) => name));
  let isFirst = true;
  for (const { start, words, isCompound, after } of shellCommands(text) ?? []) {
    if (beforeVariable.test(text.slice(0, start))) continue;
    const [name = ''] = words;
    if (isCompound || name === '' || assignment.test(name) || harmlessBuiltins.has(name)) continue;
    const isClear = plainName.test(name) && !builtins.has(name);
    const isAwaited = !name.includes('/') || name.startsWith('/') || isFirst;
    if (isClear && isAwaited && after !== '||' && !soughtFor.has(name) && !found.has(name)) {
      // After assignments; a name in quotes may be written in another way.
      const at = Math.max(text.indexOf(name, start), start);
      found.set(name, { start: at, end: at + name.length });
    }
    isFirst = false;
  }
  return found;
}

const seeking = /\b(?:command\s+-[vV]|which|type(?:\s+-\w+)?)\s+([\w.+@%,:-]+)/g;

const changesMeaning = /\b(?:PATH=|alias\b|eval\b|hash\b|source\b)/;
/** End of a text after which a variable or a word comes, not a command. */
const beforeVariable = /(?:^|[\s;&|({])(?:for|case|select)\s+$/;
const assignment = /^[A-Za-z_][A-Za-z0-9_]*\+?=/;
const plainName = /^[A-Za-z0-9_.+/@%,:-]+$/;

/** Builtins that start nothing and stay in the directory. */
const harmlessBuiltins: ReadonlySet<string> = new Set([
  ...[':', 'set', 'export', 'readonly', 'unset', 'umask', 'ulimit', 'trap', 'local', 'shift', 'getopts'],
  ...['echo', 'printf', 'test', '[', 'true', 'false', 'read', 'wait', 'exit', 'return', 'break', 'continue'],
]);

/** Builtins and reserved words of the shells that may be `/bin/sh`. */
const builtins: ReadonlySet<string> = new Set([
  ...[
    '.',
    'bg',
    'builtin',
    'cd',
    'command',
    'declare',
    'dirs',
    'disown',
    'enable',
    'exec',
    'fc',
    'fg',
    'jobs',
  ],
  ...[
    'kill',
    'let',
    'logout',
    'popd',
    'pushd',
    'pwd',
    'shopt',
    'suspend',
    'time',
    'times',
    'type',
    'typeset',
  ],
  ...['unalias', 'in', 'esac', 'done', 'fi', 'then', 'else', 'elif', 'do', 'function', 'select', 'coproc'],
]);
