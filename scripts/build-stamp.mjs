import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

// In dist/, so that it goes wherever dist/ goes; package.json keeps it out of the published package.
const stampFile = '.stamp.json';

const inputFolders = ['src', 'scripts', 'fixtures/lint'];
const inputFiles = [
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'tsconfig.build.json',
  'tsconfig.web.json',
];

/** A hash of the content of everything that a build reads, except node_modules, which the lock file represents. */
export function fingerprintInputs(root) {
  const hash = createHash('sha256').update(`node ${process.versions.node.split('.')[0]}\n`);
  for (const path of [...inputFiles, ...inputFolders.flatMap((folder) => filesBelow(root, folder))]) {
    const file = join(root, path);
    const content = existsSync(file) ? readFileSync(file) : Buffer.from('absent');
    hash.update(`${path}\n${content.length}\n`).update(content);
  }
  return hash.digest('hex');
}

/** What the last build was made from; nothing where one of its files is gone. */
export function readStamp(dist) {
  try {
    const stamp = JSON.parse(readFileSync(join(dist, stampFile), 'utf8'));
    return stamp.files.every((file) => existsSync(join(dist, file))) ? stamp : {};
  } catch {
    return {};
  }
}

export function writeStamp(dist, stamp) {
  writeFileSync(join(dist, stampFile), `${JSON.stringify(stamp, null, 2)}\n`);
}

function filesBelow(root, folder) {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .sort();
}
