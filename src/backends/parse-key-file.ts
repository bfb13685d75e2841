import { RunError } from '../run-directory/run-error.js';

/** Content of a file of keys. */
export interface KeyFileContent {
  /** Values by name. */
  readonly variables: ReadonlyMap<string, string>;
  /** Names of those that tools receive too: `export NAME=value`. */
  readonly exported: ReadonlySet<string>;
}

/**
 * Reads lines of `NAME=value`, the part of the usual format of environment files that all its readers agree
 * on: comments, `export`, and values in single or double quotes. The last value of a name counts.
 * @throws RunError `usage` with the line number, but without its text
 */
export function parseKeyFile(file: string, text: string): KeyFileContent {
  const variables = new Map<string, string>();
  const exported = new Set<string>();
  for (const [index, line] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    if (/^\s*(?:#.*)?$/.test(line)) continue;
    const match = /^\s*(export\s+)?([A-Za-z_]\w*)\s*=(.*)$/.exec(line);
    const value = match?.[3] === undefined ? undefined : readValue(match[3].trim());
    const name = match?.[2];
    if (name === undefined || value === undefined) {
      const expected = name === undefined ? 'NAME=value' : 'a value with its quotes closed in the same line';
      throw new RunError('usage', `${file}:${index + 1}: expected ${expected}`);
    }
    variables.set(name, value);
    if (match?.[1] !== undefined) exported.add(name);
  }
  return { variables, exported };
}

const escapes: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);

/** Value of a line; undefined if a quote is not closed, or something comes after it. */
function readValue(written: string): string | undefined {
  const quote = written[0];
  if (quote !== '"' && quote !== "'") return written.replace(/(?:^|\s+)#.*$/, '');
  const pattern = quote === "'" ? /^'([^']*)'\s*(?:#.*)?$/ : /^"((?:[^"\\]|\\.)*)"\s*(?:#.*)?$/;
  const inner = pattern.exec(written)?.[1];
  if (quote === "'" || inner === undefined) return inner;
  return inner.replace(/\\(.)/g, (_, character: string) => escapes.get(character) ?? character);
}
