import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { didYouMean } from '../../diagnostic/did-you-mean.js';
import { UsageError } from '../../setup/usage-error.js';

/** Text of a file that the package brings along, such as `docs/values.md`. */
export function packageFile(name: string): string {
  const root = import.meta.url.endsWith('.ts') ? '../../..' : '../..';
  return readFileSync(path.join(fileURLToPath(new URL(root, import.meta.url)), name), 'utf8');
}

/** Finds an entry by its name. @throws UsageError with the nearest name, and all of them */
export function entryNamed<Entry extends { readonly name: string }>(
  what: string,
  name: string,
  entries: readonly Entry[],
): Entry {
  const found = entries.find((entry) => entry.name === name);
  if (found !== undefined) return found;
  const names = entries.map((entry) => entry.name);
  throw new UsageError(
    `there is no ${what} "${name}"${didYouMean(name, names)}. Available: ${names.join(', ')}`,
  );
}

/** Names and what they are, as two columns. */
export function entryList(entries: readonly { readonly name: string; readonly summary: string }[]): string {
  const width = Math.max(...entries.map(({ name }) => name.length));
  return entries.map(({ name, summary }) => `${name.padEnd(width)}  ${summary}\n`).join('');
}
