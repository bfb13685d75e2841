import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { handlerDetails } from '../../src/graph/handler-details.js';
import { cliReference } from './cli-reference.js';
import { grammarReference } from './grammar-reference.js';
import { handlerReference } from './handler-reference.js';
import { llmsIndex } from './llms-index.js';
import { root } from './markdown.js';

describe('the reference', () => {
  it.each([
    ['docs/handlers.md', handlerReference],
    ['docs/grammar.md', grammarReference],
    ['docs/cli.md', cliReference],
    ['llms.txt', llmsIndex],
  ])('in %s is what the code says', async (file, render) => {
    await expect(render()).toMatchFileSnapshot(path.join(root, file));
  });
});

describe('what is known of handlers', () => {
  const details = Object.entries(handlerDetails);

  it.each(details)('%s: has no key twice', (_type, { writes }) => {
    expect(new Set(writes).size).toBe(writes.length);
  });

  it('has every key that a handler or the machine sets for one', () => {
    const folders = ['src/handlers', 'src/machine'];
    const text = folders
      .flatMap((folder) =>
        readdirSync(path.join(root, folder), { encoding: 'utf8', recursive: true })
          .filter((name) => name.endsWith('.ts'))
          .map((name) => readFileSync(path.join(root, folder, name), 'utf8')),
      )
      .join('\n');
    const set = [...text.matchAll(/^ +'((?:tool|human|parallel|child|stack)\.[a-z_.]+)':/gm)].map(
      ([, key = '']) => key,
    );
    const written = details.flatMap(([, { writes }]) => writes);
    const isCovered = (key: string): boolean =>
      written.some((name) => (name.endsWith('*') ? key.startsWith(name.slice(0, -1)) : name === key));
    expect(set.length).toBeGreaterThan(15);
    expect(set.filter((key) => !isCovered(key))).toEqual([]);
    const isSet = (name: string): boolean =>
      name.endsWith('*') ? text.includes(`'${name.slice(0, -2)}`) : text.includes(name);
    expect(written.filter((name) => !isSet(name))).toEqual([]);
  });
});
