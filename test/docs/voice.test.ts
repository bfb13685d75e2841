import { readFileSync } from 'node:fs';
import path from 'node:path';
import { globSync } from 'tinyglobby';
import { describe, expect, it } from 'vitest';
import { findBannedPhrases } from '../support/find-banned-phrases.js';
import { textsOf } from '../support/texts-of.js';
import { allPages, root } from './markdown.js';

const sources = textsIn(['src/**/*.{ts,tsx}', 'bin/*', 'scripts/*.mjs']);
const examples = textsIn(['examples/**/*.{dot,yaml,mjs,md}', 'fixtures/lint/**/*.dot']);
const pages = new Map(allPages().map(({ name, text }) => [name, text]));

describe('no text reads as translated', () => {
  it.each(
    Object.entries({
      'messages, help and comments': sources,
      examples,
      pages: new Map([...pages, ...textsIn(['bench/README.md'])]),
    }),
  )('%s', (_, texts) => {
    expect(texts.size).toBeGreaterThan(20);
    const found = [...texts].flatMap(([file, text]) =>
      findBannedPhrases(text).map((phrase) => `${file}:${phrase}`),
    );
    expect(found).toEqual([]);
  });
});

describe('sections of the specification and rows of docs/semantics.md', () => {
  /** Pages about the design and its decisions, whose first lines say what the signs are. */
  const ours = ['docs/design.md', 'docs/semantics.md', 'CONTRIBUTING.md'];
  const explanations = ['has the section (§) of the', '§ is a section of the Attractor specification'];

  it('are explained on every page that cites them', () => {
    const citing = [...pages].filter(([name, text]) => /§|SEMANTICS/.test(text) && !ours.includes(name));
    expect(citing.length).toBeGreaterThan(0);
    const unexplained = citing.filter(
      ([, text]) => !explanations.some((words) => text.replace(/\s+/g, ' ').includes(words)),
    );
    expect(unexplained.map(([name]) => name)).toEqual([]);
  });

  it('are cited in no message', () => {
    const comments = /\/\*[\s\S]*?\*\/|\/\/ .*$/gm;
    const citing = [...sources].filter(
      ([file, text]) =>
        !file.startsWith('src/graph/attribute-tables/') && /§|SEMANTICS/.test(text.replace(comments, '')),
    );
    expect(citing.map(([file]) => file)).toEqual([]);
  });
});

/** The texts of files, by name: all of a page or a pipeline, strings and comments of a program. */
function textsIn(patterns: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    globSync([...patterns], { cwd: root })
      .sort()
      .map((file) => {
        const text = readFileSync(path.join(root, file), 'utf8');
        return [file, /\.(?:m?js|tsx?)$/.test(file) ? textsOf(text) : text];
      }),
  );
}
