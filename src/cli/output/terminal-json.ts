import { printableJson } from '../../diagnostic/printable.js';

/** A value as JSON that a terminal shows as it stands. @param indent blanks of a level; without it, one line */
export function terminalJson(value: unknown, indent?: number): string {
  return printableJson(JSON.stringify(value, null, indent));
}
