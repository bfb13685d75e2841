const quoted = /'[^']*'|"(?:[^"\\]|\\[\s\S])*"/g;

/** They fail only where a whole machine does, or where they are told to. */
const harmless = /^(?:echo|printf|true|:|sleep|date|mkdir -p|exit 0)(?:\s|$)/;

const endsWell = /\|\|\s*(?:true|:|exit 0)$/;

const stopsAtOnce = /\bset -[A-Za-z]*e/;

/**
 * Whether the failure of a command need not be thought of: what it does last decides, unless it stops at the first failure, and that
 * is something that does not fail, or that says so itself.
 */
export function hardlyFails(command: string): boolean {
  const bare = command.replaceAll(quoted, '""');
  const statements = bare.split(/[;\n]/).filter((statement) => statement.trim() !== '');
  const deciding = stopsAtOnce.test(bare) ? statements : statements.slice(-1);
  return deciding.every((statement) => isHarmless(statement.trim()));
}

function isHarmless(statement: string): boolean {
  if (endsWell.test(statement)) return true;
  return statement.split(/&&|\|\||[|&]/).every((part) => part.trim() === '' || harmless.test(part.trim()));
}
