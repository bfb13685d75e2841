import { nameInParent } from '../run/questions/child-interviewer.js';
import { openQuestions } from '../view/active-stages.js';
import { childOf, type RunHistory } from './run-history.js';

/**
 * True if a question is open according to the history of a run. While a worker takes the run over, it may not have been asked there
 * yet, in particular by a child run.
 * @param name as in an answer: id of the question, or the stage that asks
 */
export function isAsking({ view, children }: RunHistory, name: string): boolean {
  if (openQuestions(view).some(({ id, stage }) => id === name || stage === name)) return true;
  const prefixes = new Map<string, string>();
  // Those above come first.
  for (const place of [...children.keys()].sort()) {
    const child = children.get(place);
    if (child === undefined) continue;
    const { run_id: runId, parent } = childOf(child.manifest);
    const above = [...prefixes.keys()].findLast((other) => place.startsWith(`${other}/`)) ?? '';
    const prefix = nameInParent(`${prefixes.get(above) ?? ''}${parent?.node_id}`, '');
    prefixes.set(place, prefix);
    const open = openQuestions(child.view);
    if (open.some(({ id, stage }) => `${runId}.${id}` === name || `${prefix}${stage}` === name)) return true;
  }
  return false;
}
