import { isRecord, type JsonValue } from '../../graph/json.js';
import { toolCallText } from '../tool-call-text.js';
import type { CallPart } from './conversation-steps.js';

/**
 * Input of a tool call for people, one field after another, with texts as they are; empty if the title of the call, or the diff of an
 * edit, already says all of it.
 */
export function callInput({ tool, input, edits, title }: Omit<CallPart, 'kind' | 'id'>): string {
  if (edits.length > 0 || input === null) return '';
  if (typeof input === 'string') return toldBy(toolCallText(tool, input, title), input) ? '' : input;
  if (!isRecord(input)) return JSON.stringify(input, null, 2);
  const fields = Object.entries(input);
  const [only] = fields;
  if (fields.length === 1 && only !== undefined) {
    const [, value] = only;
    if (typeof value === 'string' && toldBy(toolCallText(tool, input, title), value)) return '';
  }
  return fields.map(([name, value]) => fieldText(name, value as JsonValue)).join('\n');
}

function toldBy(title: string, text: string): boolean {
  return title.endsWith(` ${text}`);
}

function fieldText(name: string, value: JsonValue): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  return text.includes('\n') ? `${name}:\n${text}` : `${name}: ${text}`;
}
