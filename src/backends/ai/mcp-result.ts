import { fieldOf, textFieldOf } from '../../handlers/error-fields.js';
import type { Redactor } from '../../secrets/redactor.js';
import { withoutEnd } from '../left-out.js';

/** Answer of a tool of an MCP server, in the form for a model. */
export interface McpResult {
  readonly text: string;
  readonly isError: boolean;
}

const longestText = 100_000;

/** Reads the result of a tool call: its texts, and a note for anything else. */
export function mcpResult(result: unknown, redactor: Redactor): McpResult {
  const content = fieldOf(result, 'content');
  const parts = Array.isArray(content) ? content.map(partText) : [];
  const structured = fieldOf(result, 'structuredContent') ?? fieldOf(result, 'toolResult');
  if (parts.length === 0 && structured !== undefined) parts.push(JSON.stringify(structured));
  const text = redactor.text(parts.join('\n'));
  return {
    text: withoutEnd(text, longestText),
    isError: fieldOf(result, 'isError') === true,
  };
}

function partText(part: unknown): string {
  const type = textFieldOf(part, 'type') ?? 'unknown';
  if (type === 'text') return textFieldOf(part, 'text') ?? '';
  const resource = fieldOf(part, 'resource') ?? part;
  return textFieldOf(resource, 'text') ?? `[${type}: ${textFieldOf(resource, 'uri') ?? 'not shown'}]`;
}
