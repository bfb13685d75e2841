const quoted = /'[^']*'|"(?:[^"\\]|\\[\s\S])*"/g;

/** Commands that fail only if the whole machine does, or on purpose. */
const harmless = /^(?:echo|printf|true|:|sleep|date|mkdir -p|exit 0)(?:\s|$)/;

const endsWell = /\|\|\s*(?:true|:|exit 0)$/;

const stopsAtOnce = /\bset -[A-Za-z]*e/;

/**
 * True if the failure of a command can be neglected: its last statement decides, unless it stops at the
 * first failure, and that statement does not fail, or fails explicitly.
 */
export function hardlyFails(command: string): boolean {
  const unquoted = command.replaceAll(quoted, '""');
  const statements = unquoted.split(/[;\n]/).filter((statement) => statement.trim() !== '');
  const decidingStatements = stopsAtOnce.test(unquoted) ? statements : statements.slice(-1);
  return decidingStatements.every((statement) => isHarmless(statement.trim()));
}

function isHarmless(statement: string): boolean {
  if (endsWell.test(statement)) return true;
  return statement.split(/&&|\|\||[|&]/).every((part) => part.trim() === '' || harmless.test(part.trim()));
}
