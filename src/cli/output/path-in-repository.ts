import path from 'node:path';
import type { Io } from '../io.js';

/** Path from the root of the repository, as a job of GitHub or GitLab names files, whatever directory its step runs in. */
export function pathInRepository(name: string, io: Pick<Io, 'env' | 'cwd'>): string {
  const root = io.env.GITHUB_WORKSPACE || io.env.CI_PROJECT_DIR || '';
  if (root === '') return name;
  const relative = path.relative(root, path.resolve(io.cwd(), name));
  return relative.startsWith('..') || path.isAbsolute(relative) ? name : relative;
}
