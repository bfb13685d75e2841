import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readPage, root } from './markdown.js';

const readme = readPage('README.md');

test('the README is read in one sitting', () => {
  expect(readme.text.trimEnd().split('\n').length).toBeLessThanOrEqual(150);
});

test.each(['npm ci && npx attractor run examples/quickstart.dot', 'npm ci && npm test'])(
  'the README says word for word: %s',
  (command) => {
    expect(readme.text.split('\n').some((line) => line.split('#')[0]?.trim() === command)).toBe(true);
  },
);

test('the index of the documentation has every page', () => {
  const index = readPage('docs/README.md').text;
  const pages = readdirSync(path.join(root, 'docs')).filter(
    (name) => name.endsWith('.md') && name !== 'README.md',
  );
  expect(pages.filter((name) => !index.includes(`(${name})`))).toEqual([]);
});
