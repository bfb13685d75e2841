import { existsSync } from 'node:fs';
import path from 'node:path';
import { globSync } from 'tinyglobby';
import { describe, expect, it } from 'vitest';
import { allPages, anchorsOf, type Page, proseOf, readPage, root } from './markdown.js';

describe('links', () => {
  it.each(allPages().map((page) => [page.name, page] as const))('of %s lead somewhere', (_, page) => {
    expect(linksOf(page).flatMap((link) => problemOf(page, link) ?? [])).toEqual([]);
  });

  it('are seen at all', () => {
    expect(allPages().flatMap(linksOf).length).toBeGreaterThan(10);
  });

  it('that lead nowhere are found', () => {
    const page = {
      name: 'docs/running.md',
      text: '# Running\n[a](nowhere.md) [b](#none) [c](../README.md#none)',
    };
    expect(linksOf(page).map((link) => problemOf(page, link))).toEqual([
      'nowhere.md: docs/nowhere.md does not exist',
      '#none: docs/running.md has no heading for it',
      '../README.md#none: README.md has no heading for it',
    ]);
  });
});

describe('files of the project', () => {
  const pages = ['ARCHITECTURE.md', 'CONTRIBUTING.md', 'docs/design.md'].map(readPage);

  it.each(pages.map((page) => [page.name, page] as const))('that %s names exist', (_, page) => {
    const places = placesIn(page);
    expect(places.length).toBeGreaterThan(3);
    expect(places.filter((place) => globSync(place, { cwd: root }).length === 0)).toEqual([]);
  });

  it('that do not exist are found', () => {
    const text = 'See `src/graph/`, `src/nowhere/<name>.ts` and `src/lint/rules/<subject>/<rule-id>.ts`.';
    const places = placesIn({ name: 'docs/design.md', text });
    expect(places.map((place) => globSync(place, { cwd: root }).length > 0)).toEqual([true, false, true]);
  });
});

/** The paths below `src/` and `test/` that a page names, as patterns: `<name>` stands for any name. */
function placesIn({ text }: Page): readonly string[] {
  const places = [...text.matchAll(/`((?:src|test)\/[^`\s]*)`/g)].map(([, place = '']) => place);
  return places.map((place) => place.replaceAll(/<[^>]*>/g, '*').replace(/\/$/, '/**'));
}

/** The targets of `[text](target)` and `![text](target)` that stay in the repository. */
function linksOf(page: Page): readonly string[] {
  return proseOf(page)
    .map((line) => line.replaceAll(/`[^`]*`/g, ''))
    .flatMap((line) => [...line.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target))
    .filter((target) => !/^[a-z]+:/.test(target));
}

function problemOf(page: Page, link: string): string | undefined {
  const [file = '', anchor] = link.split('#');
  const target = file === '' ? page.name : path.posix.join(path.posix.dirname(page.name), file);
  if (!existsSync(path.join(root, target))) return `${link}: ${target} does not exist`;
  if (anchor === undefined) return undefined;
  const anchors = anchorsOf(target === page.name ? page : readPage(target));
  return anchors.has(anchor) ? undefined : `${link}: ${target} has no heading for it`;
}
