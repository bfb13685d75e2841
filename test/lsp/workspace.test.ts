import { describe, expect, it } from 'vitest';
import { defaultSettings, readSettings } from '../../src/lsp/server/settings.js';
import type { FileAccess } from '../../src/lsp/server/workspace/file-access.js';
import { findPipelines } from '../../src/lsp/server/workspace/find-pipelines.js';
import { Workspace } from '../../src/lsp/server/workspace/workspace.js';

/** A machine on which every directory has as many of each. */
function endless(directories: number, files: readonly string[]): FileAccess & { readonly asked: string[] } {
  const asked: string[] = [];
  const entriesNow = () => [
    ...files.map((name) => ({ name, isDirectory: false })),
    ...Array.from({ length: directories }, (_, index) => ({ name: `d${index}`, isDirectory: true })),
  ];
  return {
    asked,
    read: () => undefined,
    mark: () => undefined,
    entriesNow,
    entries: async (path) => {
      asked.push(path);
      return entriesNow();
    },
  };
}

const never = () => false;

describe('the search for pipelines', () => {
  it('looks at a million files no longer than its limit', async () => {
    const files = endless(
      100,
      Array.from({ length: 1000 }, (_, index) => `f${index}.txt`),
    );
    const search = await findPipelines(['/w'], files, never, { entries: 20_000, files: 10 });
    expect(search).toEqual({ files: [], isCut: true });
    expect(files.asked.length).toBeLessThan(25);
  });

  it('keeps the first pipelines, those near the root', async () => {
    const search = await findPipelines(['/w'], endless(2, ['a.dot', 'b.gv', 'c.txt']), never, {
      entries: 1000,
      files: 3,
    });
    expect(search).toEqual({ files: ['/w/a.dot', '/w/b.gv', '/w/d0/a.dot'], isCut: true });
  });

  it('leaves out hidden directories and packages', async () => {
    const files = endless(0, []);
    const found = {
      ...files,
      entries: async (path: string) => {
        files.asked.push(path);
        return path === '/w'
          ? ['.git', 'node_modules', 'src'].map((name) => ({ name, isDirectory: true }))
          : [];
      },
    };
    await findPipelines(['/w'], found, never);
    expect(files.asked).toEqual(['/w', '/w/src']);
  });

  it('stops when it is told to', async () => {
    const files = endless(10, []);
    await findPipelines(['/w'], files, () => files.asked.length >= 3);
    expect(files.asked).toHaveLength(3);
  });
});

describe('the workspace', () => {
  it('prefers an open text, reads a changed file again, and lists files that begin with a path', () => {
    const disk = new Map([['/w/a.dot', { text: 'digraph A { a }', mark: '1' }]]);
    let reads = 0;
    const workspace = new Workspace(
      {
        read: (path) => {
          reads += 1;
          return disk.get(path)?.text;
        },
        mark: (path) => disk.get(path)?.mark,
        entries: async () => [],
        entriesNow: (path) =>
          path === '/w/sub'
            ? [
                { name: 'c.dot', isDirectory: false },
                { name: 'deep', isDirectory: true },
              ]
            : [],
      },
      () => undefined,
      () => undefined,
    );
    const name = () => workspace.pipeline('file:///w/a.dot')?.graph.name;
    expect([name(), name(), reads]).toEqual(['A', 'A', 1]);
    disk.set('/w/a.dot', { text: 'digraph B { a }', mark: '2' });
    expect([name(), reads]).toEqual(['B', 2]);
    expect(workspace.pipeline('file:///w/missing.dot')).toBeUndefined();
    expect(workspace.pipeline('file:///w/%E0%A4%A.dot')).toBeUndefined();
    expect(workspace.filesFrom('file:///w/a.dot', 'sub/')).toEqual(['sub/c.dot', 'sub/deep/']);
    expect(workspace.filesFrom('untitled:x', 'sub/')).toEqual([]);
  });
});

describe('settings', () => {
  it.each([
    [undefined, {}],
    ['nonsense', {}],
    [{ attractor: { pauseMs: 50, checkShell: false } }, { pauseMs: 50, checkShell: false }],
    [{ pauseMs: -1, configuration: 'no', inlayHints: false }, { inlayHints: false }],
    [null, {}],
  ])('of %j', (sent, expected) => {
    expect(readSettings(sent)).toEqual({ ...defaultSettings, ...expected });
  });
});
