import type { RunStatusName } from '../../server/api/run.js';

/** What an action must know of the run that it is asked of. */
export interface ActionTarget {
  readonly id: string;
  readonly name: string;
  readonly status: RunStatusName;
  /** The ids of its nodes, in the order of the text. */
  readonly nodes: readonly string[];
}

export interface ActionDialogProps {
  readonly run: ActionTarget;
  readonly onClose: () => void;
  /** It was done: there is something new to be asked for. */
  readonly onDone: () => void;
}
