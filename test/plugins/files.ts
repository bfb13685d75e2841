import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { temporaryDirectory } from '../support/temporary-directory.js';

/** A directory with these files in it, by their paths; it lies in a temporary one, so that `../` is there too. */
export function directoryOf(files: Readonly<Record<string, string>>): string {
  const directory = path.join(temporaryDirectory(), 'here');
  mkdirSync(directory);
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(directory, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  return directory;
}
