import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { attractor } from '../../cli/attractor.js';
import { directoryWith } from '../../support/directory-with.js';
import { openRegistry } from './harness.js';

const dot =
  'digraph d { start [shape=Mdiamond]; end [shape=Msquare]; gate [shape=hexagon]; start -> gate -> end }';

/** A paused run in the home of a server, whose manifest names a plugin that leaves `ran` when something imports it. */
async function sentRun(members: string): Promise<string> {
  const plugin = `export default { name: 'p', ${members} };`;
  const cwd = directoryWith({
    'p.dot': dot,
    'good.mjs': plugin,
    'evil.mjs': `import { writeFileSync } from 'node:fs';\nwriteFileSync(new URL('ran', import.meta.url), '');\n${plugin}`,
  });
  const directory = path.join('.attractor', 'runs', 'sent');
  const made = await attractor(['run', 'p.dot', '--run-dir', directory, '--plugin', './good.mjs'], { cwd });
  expect(made).toMatchObject({ status: 3 });
  const manifest = path.join(cwd, directory, 'manifest.json');
  writeFileSync(manifest, readFileSync(manifest, 'utf8').replaceAll('good.mjs', 'evil.mjs'));
  return cwd;
}

test.each([
  { name: 'runs none of its plugins', members: '', ran: false },
  {
    name: 'runs them only where its graph cannot be had without',
    members: `transforms: [{ name: 'named', transform: (graph) => ({ ...graph, attributes: new Map([...graph.attributes, ['label', 'x']]) }) }]`,
    ran: true,
  },
])('a server that cancels a paused run $name', async ({ members, ran }) => {
  const cwd = await sentRun(members);
  const { registry } = await openRegistry({}, cwd);
  expect(await registry.cancel('sent')).toEqual({ id: 'sent', status: 'cancelled' });
  expect(existsSync(path.join(cwd, 'ran'))).toBe(ran);
});
