import { expect } from 'vitest';
import { runPipeline, type Setup } from '../run/harness.js';

/** A pipeline, what its stages do, and the way that the run takes. */
export interface PathCase extends Setup {
  readonly name: string;
  readonly dot: string;
  /** The stages between start and exit, with blanks between them. */
  readonly path: string;
  /** A part of the reason; without it the run succeeds. */
  readonly fails?: string;
  readonly failedNode?: string;
  /** Whether it reaches the exit; by default, where it succeeds. */
  readonly exits?: boolean;
}

export async function expectPath(entry: PathCase): Promise<void> {
  const { name: _name, dot, path, fails, failedNode, exits = fails === undefined, ...setup } = entry;
  const { result } = await runPipeline(dot, setup);
  expect({
    path: result.path.filter((id) => id !== 'start' && id !== 'exit').join(' '),
    status: result.status,
    reason: result.failure_reason,
    exits: result.path.at(-1) === 'exit',
  }).toEqual({
    path,
    status: fails === undefined ? 'success' : 'fail',
    reason: fails === undefined ? undefined : expect.stringContaining(fails),
    exits,
  });
  if (failedNode !== undefined) expect(result.failed_node).toBe(failedNode);
}
