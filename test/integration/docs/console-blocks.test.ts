import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { allPages, blocksOf, root } from '../../docs/markdown.js';
import { buildBundle } from './built.js';
import { renewConsoleBlocks, sameOutput } from './console-blocks.js';

beforeAll(buildBundle);

/** Everything on a page is typed by one test: dozens of processes, some of which wait. */
const pageTimeout = 180_000;
const pages = allPages().filter((page) => blocksOf(page, 'console').length > 0);

describe('what the command line prints', () => {
  it.each(pages.map((page) => [page.name, page] as const))(
    'is in %s as it is',
    async (name, page) => {
      await expect(renewConsoleBlocks(page)).toMatchFileSnapshot(path.join(root, name));
    },
    pageTimeout,
  );

  it('is compared without what no two runs have in common', () => {
    const documented = 'run 20260131-120000-Example-k3x7qa  took 1.4s\n…\n  last';
    expect(sameOutput(documented, 'run 20270101-000000-Example-aaaaaa took 12ms\nmore\nmore\n  last')).toBe(
      true,
    );
    expect(sameOutput(documented, 'run 20270101-000000-Other-aaaaaa took 12ms\n  last')).toBe(false);
    expect(sameOutput(documented, 'run 20270101-000000-Example-aaaaaa took 12ms\n  first')).toBe(false);
  });
});
