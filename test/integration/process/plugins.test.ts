import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { attractor, directoryWith, executable, temporaryDirectory } from './attractor.js';

// What Node itself does with the modules of plugins, and with those of a call that needs none.

const dot = `digraph g {
  start [shape=Mdiamond]
  done [shape=Msquare]
  ask [prompt="ask"]
  start -> ask -> done
}
`;

test.each([
  {
    name: 'that is not JavaScript',
    plugin: 'const a = 1;\nconst b = ;',
    says: /cannot be loaded: SyntaxError: .*\(plugin\.mjs:2\)$/m,
  },
  {
    name: 'that throws',
    plugin:
      'export default { name: "p", rules: [{ name: "r", severity: "info", summary: "", apply() { null.x; } }] };',
    says: /the lint rule "r" of the plugin "p" failed: TypeError: .*\(plugin\.mjs:1\)/,
  },
])('a plugin $name is refused with the place, seen from the current directory', async ({ plugin, says }) => {
  const cwd = directoryWith({ 'p.dot': dot, 'plugin.mjs': plugin });
  const { status, stderr } = await attractor(['lint', 'p.dot', '--plugin', './plugin.mjs'], { cwd });
  expect(stderr).toMatch(says);
  expect(stderr).not.toMatch(/^ +at /m);
  expect(status).toBe(2);
});

test('lint without a configuration waits for neither zod nor yaml', async () => {
  const coverage = temporaryDirectory();
  const cwd = directoryWith({ 'p.dot': dot });
  await attractor(['lint', '--no-config', 'p.dot'], { cwd, env: { NODE_V8_COVERAGE: coverage } });
  const loaded = readdirSync(coverage)
    .flatMap((name) => (JSON.parse(readFileSync(path.join(coverage, name), 'utf8')) as Coverage).result)
    .map(({ url }) => url)
    .filter((url) => url.includes('/dist/'));
  const dist = path.join(path.dirname(executable), '../dist');
  expect(loaded.length).toBeGreaterThan(2);
  const heavy = loaded.filter((url) =>
    /new errors\.YAMLParseError|\$ZodType = /.test(
      readFileSync(path.join(dist, url.split('/dist/')[1] ?? ''), 'utf8'),
    ),
  );
  expect(heavy).toEqual([]);
});

interface Coverage {
  readonly result: readonly { readonly url: string }[];
}
