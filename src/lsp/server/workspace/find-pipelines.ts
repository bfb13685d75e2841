import path from 'node:path';
import type { FileAccess } from './file-access.js';

export interface Search {
  /** Paths of pipelines, in the order in which they were found. */
  readonly files: readonly string[];
  /** Set if there was more than the search looks at. */
  readonly isCut: boolean;
}

export interface SearchLimits {
  /** Maximum of directory entries that are looked at. */
  readonly entries: number;
  /** Maximum of pipelines. */
  readonly files: number;
}

const searchLimits: SearchLimits = { entries: 200_000, files: 5000 };

/** Directories of tools and packages, which have no pipelines of the author. */
const skipped: ReadonlySet<string> = new Set(['node_modules', 'target', 'dist', 'vendor', '__pycache__']);

/**
 * Looks for pipelines below some folders, breadth first, so that a workspace that is too large has at least those near its root.
 * Hidden directories and those of packages are left out.
 * @param isStopped asked between directories
 */
export async function findPipelines(
  folders: readonly string[],
  files: FileAccess,
  isStopped: () => boolean,
  limits: SearchLimits = searchLimits,
): Promise<Search> {
  const pending = [...folders];
  const found: string[] = [];
  let looked = 0;
  for (let next = 0; next < pending.length && !isStopped(); next += 1) {
    const directory = pending[next] ?? '';
    for (const { name, isDirectory } of await files.entries(directory)) {
      looked += 1;
      if (looked > limits.entries) return { files: found, isCut: true };
      if (isDirectory && !name.startsWith('.') && !skipped.has(name))
        pending.push(path.join(directory, name));
      if (isDirectory || !isPipelineName(name)) continue;
      if (found.length === limits.files) return { files: found, isCut: true };
      found.push(path.join(directory, name));
    }
  }
  return { files: found, isCut: false };
}

/** True for a file that is read as a pipeline. */
export function isPipelineName(name: string): boolean {
  return name.endsWith('.dot') || name.endsWith('.gv');
}
