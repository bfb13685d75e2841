import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { allPages, blocksOf, readPage, root } from '../../docs/markdown.js';
import { buildBundle } from './built.js';

const example = path.join(root, 'examples/library.mjs');

beforeAll(buildBundle);

describe('the library', () => {
  it('has an example that the documentation shows as it is', () => {
    const [block] = blocksOf(readPage('docs/library.md'), 'js');
    expect(block?.text).toBe(readFileSync(example, 'utf8'));
  });

  it('has an example that runs', () => {
    const output = execFileSync(process.execPath, [example], { cwd: root, encoding: 'utf8' });
    expect(output).toContain('success start -> fetch -> report -> done');
    expect(output).toContain('It is -2 degrees in Oslo.');
  });

  it('exports everything that JavaScript in the documentation imports', async () => {
    const exported = new Set(Object.keys(await import(path.join(root, 'dist/index.js'))));
    const imported = allPages()
      .flatMap((page) => blocksOf(page, 'js'))
      .flatMap(({ text }) => [...text.matchAll(/import \{([^}]*)\} from 'attractor-dot'/g)])
      .flatMap(([, names = '']) => names.split(',').map((name) => name.trim()));
    expect(imported.length).toBeGreaterThan(0);
    expect(imported.filter((name) => !exported.has(name))).toEqual([]);
  });
});
