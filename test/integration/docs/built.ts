import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { root } from '../../docs/markdown.js';

/** Makes sure that `dist/` is what the sources say; costs next to nothing where it already is. */
export function buildBundle(): void {
  execFileSync(process.execPath, [path.join(root, 'scripts/build.mjs'), '--bundle-only'], { stdio: 'pipe' });
}
