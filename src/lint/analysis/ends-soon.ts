/**
 * True if a shell command certainly ends: it has only commands that print, test, or move files,
 * including those in `$(…)`. Unknown commands do not count as sure.
 */
export function endsSoon(command: string): boolean {
  if (command.length > longest || /<\(|>\(|<<|\btail\b.*\s-[fF]/.test(command)) return false;
  const unquoted = command
    .replaceAll(/'[^']*'/g, 'word')
    .replaceAll(/"(?:[^"\\`$]|\\.|\$(?!\())*"/gs, 'word')
    .replaceAll(/\\\n/g, ' ')
    // `2>&1` does not end a command, and the content of a `$(…)` is one.
    .replaceAll(/[0-9]*>&[0-9-]/g, ' ')
    .replaceAll(/\$\(\(|\$\(|[`"]/g, ';');
  return unquoted.split(/[;\n|&()]+/).every((text) => {
    const words = text.trim().split(/\s+/);
    const name = words.find((word) => word !== '' && !isPrefix(word));
    return name === undefined || shortCommands.has(name);
  });
}

const longest = 4000;

/** True for a word before a command: a keyword, a bracket, an assignment. */
function isPrefix(word: string): boolean {
  return /^(?:if|then|else|elif|fi|do|done|!|\{|\}|[A-Za-z_][A-Za-z0-9_]*=\S*)$/.test(word);
}

const shortCommands: ReadonlySet<string> = new Set([
  ...[
    ':',
    '[',
    'true',
    'false',
    'test',
    'echo',
    'printf',
    'exit',
    'cd',
    'pwd',
    'export',
    'set',
    'unset',
    'shift',
  ],
  ...[
    'ls',
    'cat',
    'head',
    'tail',
    'mkdir',
    'rmdir',
    'rm',
    'cp',
    'mv',
    'ln',
    'touch',
    'chmod',
    'date',
    'basename',
  ],
  ...['dirname', 'grep', 'sed', 'awk', 'cut', 'sort', 'uniq', 'wc', 'tr', 'tee', 'diff', 'cmp', 'jq', 'expr'],
  ...[
    'seq',
    'uname',
    'whoami',
    'id',
    'hostname',
    'mktemp',
    'stat',
    'file',
    'realpath',
    'readlink',
    'sha256sum',
  ],
  ...['md5sum', 'which', 'type', 'fold', 'nl', 'od', 'paste', 'rev', 'tac', 'comm', 'join'],
]);
