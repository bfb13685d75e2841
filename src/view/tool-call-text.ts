import { printable } from '../diagnostic/printable.js';
import { cutColumns } from '../diagnostic/text-columns.js';
import type { JsonValue } from '../graph/json.js';

const longestInput = 80;

/** Keys that say most about the call of a tool, in any tool set. */
const tellingKeys = [
  'command',
  'path',
  'file_path',
  'filePath',
  'file',
  'pattern',
  'query',
  'url',
  'prompt',
  'description',
];

/** The call of a tool in a few words: its name, and the title that its agent gives it, or what it is to do or to look at. */
export function toolCallText(tool: string, input: JsonValue, title?: string): string {
  const told = cutColumns(firstLine(title ?? tellingText(input)), longestInput);
  if (title?.toLowerCase().startsWith(tool.toLowerCase())) return printable(told);
  return printable(told === '' ? tool : `${tool} ${told}`);
}

function tellingText(input: JsonValue): string {
  if (typeof input === 'string') return input;
  if (typeof input !== 'object' || input === null) return input === null ? '' : String(input);
  if (Array.isArray(input)) return JSON.stringify(input);
  const entries = new Map(Object.entries(input));
  const key = tellingKeys.find((name) => typeof entries.get(name) === 'string');
  if (key !== undefined) return String(entries.get(key));
  return entries.size === 0 ? '' : JSON.stringify(input);
}

function firstLine(text: string): string {
  return text.trim().split('\n', 1)[0] ?? '';
}
