const quoted = /'[^']*'|"(?:[^"\\]|\\[\s\S])*"/g;

/** Syntax that may keep a command from its last statement, or make it one of several. */
const branches = /&&|\|\||[|&(){}`]|\b(?:if|then|else|case|for|while|until|exec|trap|exit|return|false)\b/;

/**
 * True for a command that obviously always fails: one statement after another, and `exit 1` or `false`
 * last.
 */
export function alwaysFails(command: string): boolean {
  const bare = command.replaceAll(quoted, '""').replaceAll(/\d?>&\d/g, '');
  const statements = bare.split(/[;\n]/).flatMap((statement) => statement.trim() || []);
  const last = statements.pop() ?? '';
  return /^(?:exit [1-9]\d{0,2}|false)$/.test(last) && !statements.some((one) => branches.test(one));
}
