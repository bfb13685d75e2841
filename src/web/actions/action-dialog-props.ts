import type { RunStatusName } from '../../server/api/run.js';

/** Run for which an action is requested. */
export interface ActionTarget {
  readonly id: string;
  readonly name: string;
  readonly status: RunStatusName;
  /**
   * Nodes at which it may continue, in the order of the text; undefined until they are known. Those that only branches
   * run are run again by their parallel node.
   */
  readonly resumable: readonly string[] | undefined;
  /** Those that control has come to, from which another run can continue. */
  readonly visited: readonly string[] | undefined;
}

export interface ActionDialogProps {
  readonly run: ActionTarget;
  readonly onClose: () => void;
  /** It was done: there is something new to be asked for. */
  readonly onDone: () => void;
}
