import { readFileSync } from 'node:fs';
import path from 'node:path';
import { globSync } from 'tinyglobby';
import { describe, expect, it } from 'vitest';
import { findBannedPhrases } from '../support/find-banned-phrases.js';
import { textsOf } from '../support/texts-of.js';
import { allPages, root } from './markdown.js';

describe('no text reads as translated', () => {
  const places = {
    'messages, help and comments': ['src/**/*.{ts,tsx}', 'bin/*', 'scripts/*.mjs'],
    examples: ['examples/**/*.{dot,yaml,mjs,md}', 'fixtures/lint/**/*.dot'],
    pages: [...allPages().map(({ name }) => name), 'bench/README.md'],
  };

  it.each(Object.entries(places))('%s', (_, patterns) => {
    const files = globSync([...patterns], { cwd: root }).sort();
    expect(files.length).toBeGreaterThan(20);
    const found = files.flatMap((file) => phrasesIn(file).map((phrase) => `${file}:${phrase}`));
    expect(found).toEqual([]);
  });
});

function phrasesIn(file: string): readonly string[] {
  const text = readFileSync(path.join(root, file), 'utf8');
  return findBannedPhrases(/\.(?:m?js|tsx?)$/.test(file) ? textsOf(text) : text);
}
