import { holdsRun } from '../../run-directory/run-files.js';
import { childRunsOf } from '../../view/child-runs.js';
import { narrowScope, type RunView } from '../../view/fold/run-view.js';
import { readView } from '../../view/read-view.js';

const scope = { ...narrowScope, asked: true } as const;

/**
 * Stage of a run, or of one that its stages have started, that has ever asked a question; undefined if none has.
 * @param name its id, as the people of the run know it, or its stage
 */
export function stageThatAsked(directory: string, name: string): string | undefined {
  if (!holdsRun(directory)) return undefined;
  const view = readView(directory, scope);
  const own = [...view.asked].find((asked) => asked.includes(name));
  return own === undefined ? stageBelow(directory, view, name) : own[1];
}

/** Stage of a child run that has asked it, at any depth (SEMANTICS 64). */
function stageBelow(directory: string, view: RunView, name: string): string | undefined {
  for (const place of childRunsOf(directory, view)) {
    const child = readView(place.directory, scope);
    const asked = [...child.asked].find(
      ([id, stage]) => `${child.runId}.${id}` === name || name.endsWith(`/${stage}`),
    );
    const stage = asked?.[1] ?? stageBelow(place.directory, child, name);
    if (stage !== undefined) return stage;
  }
  return undefined;
}
