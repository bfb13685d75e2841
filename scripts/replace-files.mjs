import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';

/**
 * Makes `folder` hold exactly `files` (text or bytes by path), and what is below the `keep` folders.
 *
 * A process may be running from the folder meanwhile: each file is replaced in one step, chunks before the entries that
 * import them, and files that nothing imports any more go last. There is no moment without an entry.
 */
export function replaceFiles(folder, files, { keep }) {
  const entriesLast = [...files].sort(([a], [b]) => b.split('/').length - a.split('/').length);
  for (const [path, text] of entriesLast) replaceFile(join(folder, path), text);
  for (const path of filesBelow(folder)) {
    const kept = files.has(path) || keep.includes(path.split('/')[0]);
    if (!kept) rmSync(join(folder, path), { force: true });
  }
}

function replaceFile(file, text) {
  if (isThere(file, text)) return;
  const temporary = `${file}.${process.pid}.tmp`;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(temporary, text);
  renameSync(temporary, file);
}

function isThere(file, content) {
  try {
    return readFileSync(file).equals(Buffer.from(content));
  } catch {
    return false;
  }
}

function filesBelow(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'));
}
