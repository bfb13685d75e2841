import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { root } from '../../docs/markdown.js';
import { buildBundle } from '../docs/built.js';

// The page of the server as it is published: what a browser loads before anybody opens the editor is small, and all of
// it comes from the server.

const folder = path.join(root, 'dist/web');
const limit = 250_000;

const imports = {
  atStart: /(?:^|[;}\s])(?:import|export)(?:[\w$\s{},*]*from)?\s*["']([^"']+)["']/g,
  onDemand: /\bimport\(\s*["'`]([^"'`]+)["'`]\s*\)/g,
};

describe('the page', () => {
  let html = '';
  beforeAll(() => {
    buildBundle();
    html = readFileSync(path.join(folder, 'index.html'), 'utf8');
  });

  const entry = (): string => path.join(folder, /<script[^>]* src="([^"]+)"/.exec(html)?.[1] ?? 'none');

  it('loads no more than 250 kB of compressed script before the editor is opened', () => {
    const scripts = reached(entry(), ['atStart']);
    const bytes = scripts.map((script) => gzipSync(readFileSync(script)).length);
    expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(limit);
    // A reader of imports that sees none would always be content.
    expect(reached(entry(), ['atStart', 'onDemand']).length).toBeGreaterThan(scripts.length);
  });

  it('names files that are there, by names that change with what is in them', () => {
    const named = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, name = '']) => name);
    expect(named.map((name) => name.replace(/-[\w-]{8}\./, '-HASH.')).sort()).toEqual([
      './assets/app-HASH.css',
      './assets/app-HASH.js',
      './assets/icon-HASH.svg',
    ]);
    expect(named.filter((name) => !existsSync(path.join(folder, name)))).toEqual([]);
  });

  it('has nothing inline, which its content security policy forbids', () => {
    expect(html).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?![^>]* src=)/i);
  });
});

/** The scripts that loading one of them loads. */
function reached(entry: string, kinds: readonly (keyof typeof imports)[]): readonly string[] {
  const found = [entry];
  for (const script of found) {
    const code = readFileSync(script, 'utf8');
    for (const kind of kinds) {
      for (const [, name = ''] of code.matchAll(imports[kind])) {
        const file = path.join(path.dirname(script), name);
        if (name.startsWith('./') && !found.includes(file)) found.push(file);
      }
    }
  }
  return found;
}
