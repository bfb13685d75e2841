const quoted = /'[^']*'|"(?:[^"\\]|\\[\s\S])*"/g;

/** They fail only where a whole machine does, or where they are told to. */
const harmless = /^(?:echo|printf|true|:|sleep|date|mkdir -p|exit 0)(?:\s|$)/;

const endsWell = /(?:\|\|\s*(?:true|:|exit 0)|[;\n]\s*(?:true|exit 0))\s*;?\s*$/;

/** Whether the failure of a command need not be thought of: it does nothing that fails, or says itself that it never does. */
export function hardlyFails(command: string): boolean {
  const bare = command.replaceAll(quoted, '""').trim();
  if (endsWell.test(bare)) return true;
  return bare.split(/&&|\|\||[;|&\n]/).every((part) => part.trim() === '' || harmless.test(part.trim()));
}
