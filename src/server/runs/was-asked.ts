import { holdsRun } from '../../run-directory/run-files.js';
import { childRunsOf } from '../../view/child-runs.js';
import { narrowScope, type RunView } from '../../view/fold/run-view.js';
import { readView } from '../../view/read-view.js';

const scope = { ...narrowScope, asked: true } as const;

/**
 * True if a run, or one that its stages have started, has ever asked a question.
 * @param name its id, as the people of the run know it, or its stage
 */
export function wasAsked(directory: string, name: string): boolean {
  if (!holdsRun(directory)) return false;
  const view = readView(directory, scope);
  return [...view.asked].some((asked) => asked.includes(name)) || wasAskedBelow(directory, view, name);
}

/** True if a child run has asked it, at any depth (SEMANTICS 64). */
function wasAskedBelow(directory: string, view: RunView, name: string): boolean {
  return childRunsOf(directory, view).some((place) => {
    const child = readView(place.directory, scope);
    return (
      [...child.asked].some(([id, stage]) => `${child.runId}.${id}` === name || name.endsWith(`/${stage}`)) ||
      wasAskedBelow(place.directory, child, name)
    );
  });
}
