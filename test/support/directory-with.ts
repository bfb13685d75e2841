import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { temporaryDirectory } from './temporary-directory.js';

/** A temporary directory with these files in it, by their paths. */
export function directoryWith(files: Readonly<Record<string, string | Uint8Array>>): string {
  const directory = realpathSync(temporaryDirectory());
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(directory, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
  return directory;
}
