import type { Program } from '../graph/program.js';
import { mainCursor } from '../machine/state.js';
import { stagePath } from '../run-directory/stage-path.js';
import type { RunView } from './fold/run-view.js';

/** Path of a stage's files, relative to the run directory, `/` between names (SEMANTICS 36, 54). */
export function placeOf(
  { restarts, origins }: Pick<RunView, 'restarts' | 'origins'>,
  nodes: Program['nodes'],
  branch: string | undefined,
  nodeId: string,
): string {
  return stagePath({ nodes }, { restarts, cursors: origins }, branch ?? mainCursor, nodeId);
}
