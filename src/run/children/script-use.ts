import { nameInParent } from '../questions/child-interviewer.js';
import type { AnswerScript } from '../questions/scripted-interviewer.js';
import type { EntriesBelow } from './entries-below.js';

/**
 * Use of the scripts of a run, which the runs below it share: an entry that is named after a stage of a child counts once, whichever
 * child comes to it first (SEMANTICS 86).
 */
export interface ScriptUse {
  readonly answers: AnswerScript;
  /**
   * Returns the number of the entry for an attempt of a scripted stage.
   * @param runId of the run that executes it
   * @param execution number of the attempt there
   */
  readonly entryOf: (runId: string, nodeId: string, execution: number) => number;
  /** The same for the run that a node has started. */
  readonly below: (nodeId: string) => ScriptUse;
}

/** Use of the scripts of a run that no other one drives. */
export function scriptUse(answers: AnswerScript, entries: EntriesBelow): ScriptUse {
  return {
    answers,
    entryOf: (_runId, _nodeId, execution) => execution,
    below: (nodeId) => useBelow((stage) => nameInParent(nodeId, stage), answers, entries),
  };
}

/** @param named changes the name of a stage into that in the scripts */
function useBelow(named: (stage: string) => string, answers: AnswerScript, entries: EntriesBelow): ScriptUse {
  return {
    answers: (stage) => answers(named(stage)),
    entryOf: (runId, nodeId, execution) => entries.entryOf(named(nodeId), { runId, execution }),
    below: (nodeId) => useBelow((stage) => named(nameInParent(nodeId, stage)), answers, entries),
  };
}
