import { parse, stringify } from 'smol-toml';
import { messageOf } from '../../handlers/error-category.js';
import type { ServerFile } from './agents.js';

/** Name under which agents know the server. */
const serverName = 'attractor';

/** A configuration file with the server in it. */
export type WithServer =
  | { readonly kind: 'changed'; readonly text: string }
  /** It has a server of this name, whatever it is. */
  | { readonly kind: 'registered' }
  /** It cannot be changed without losing what people wrote. */
  | { readonly kind: 'unreadable'; readonly problem: string; readonly addition: string };

/**
 * Adds the server to a configuration file of a coding agent, and keeps all the rest.
 * @param before text of the file; undefined if there is none
 */
export function withServer(before: string | undefined, file: ServerFile): WithServer {
  return file.format === 'json' ? inJson(before, file) : inToml(before, file);
}

function inJson(before: string | undefined, { key, entry }: ServerFile): WithServer {
  const wanted = { [key]: { [serverName]: entry } };
  if (before === undefined || before.trim() === '') return { kind: 'changed', text: jsonText(wanted, '  ') };
  const refuse = (problem: string): WithServer => ({
    kind: 'unreadable',
    problem,
    addition: jsonText(wanted, '  '),
  });
  let value: unknown;
  try {
    value = JSON.parse(before.replace(/^\uFEFF/, ''));
  } catch (error) {
    return refuse(`it is not plain JSON (${messageOf(error)})`);
  }
  if (!isObject(value)) return refuse('it is not a JSON object');
  const servers = value[key] ?? {};
  if (!isObject(servers)) return refuse(`its "${key}" is not an object`);
  if (serverName in servers) return { kind: 'registered' };
  const text = jsonText({ ...value, [key]: { ...servers, [serverName]: entry } }, indentOf(before));
  return { kind: 'changed', text };
}

function jsonText(value: object, indent: string): string {
  return `${JSON.stringify(value, undefined, indent)}\n`;
}

/** Indent of the first line that has one. */
function indentOf(text: string): string {
  return /\n([ \t]+)\S/.exec(text)?.[1] ?? '  ';
}

/** The table is appended, so that comments and order stay. */
function inToml(before: string | undefined, { key, entry }: ServerFile): WithServer {
  const addition = `${stringify({ [key]: { [serverName]: entry } })}\n`;
  if (before === undefined || before.trim() === '') return { kind: 'changed', text: addition };
  const refuse = (problem: string): WithServer => ({ kind: 'unreadable', problem, addition });
  try {
    const servers = parse(before)[key];
    if (isObject(servers) && serverName in servers) return { kind: 'registered' };
  } catch (error) {
    return refuse(`it is not TOML (${firstLine(error)})`);
  }
  const text = `${before.trimEnd()}\n\n${addition}`;
  try {
    parse(text);
  } catch (error) {
    return refuse(`a table cannot be appended to it (${firstLine(error)})`);
  }
  return { kind: 'changed', text };
}

function firstLine(error: unknown): string {
  return messageOf(error).split('\n')[0] ?? '';
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
