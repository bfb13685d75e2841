// Makes package.json what an installed package should have, and puts the one of the clone back afterwards:
//
//   node scripts/packed-manifest.mjs pack|restore
//
// npm publishes package.json as it stands. Scripts and development dependencies are of use in a clone only; `prepare` even
// breaks whoever installs the package from a place where npm runs it.

import { copyFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const manifest = join(root, 'package.json');
// Not below dist/, which a build replaces.
const kept = join(root, '.package.json.clone');

if (process.argv[2] === 'restore') {
  if (existsSync(kept)) renameSync(kept, manifest);
} else {
  // The clone's own, where a pack before this one was cut off.
  if (!existsSync(kept)) copyFileSync(manifest, kept);
  const {
    scripts: _scripts,
    devDependencies: _devDependencies,
    ...published
  } = JSON.parse(readFileSync(kept, 'utf8'));
  writeFileSync(manifest, `${JSON.stringify(published, null, 2)}\n`);
}
