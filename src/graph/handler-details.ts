import type { BuiltInHandlerType } from './handler-types.js';

/** Documentation of a handler type, which the engine does not need: for reference pages and help. */
export interface HandlerDetails {
  /** Conditions of each outcome, in sentences. */
  readonly outcomes: string;
  /** Context keys that it sets. */
  readonly writes: readonly string[];
}

/** §2.8 and chapter 4, type by type. */
export const handlerDetails: Readonly<Record<BuiltInHandlerType, HandlerDetails>> = {
  start: { outcomes: 'Always `success`.', writes: [] },
  exit: {
    outcomes: 'Always `success`. Before it runs, every goal gate that was visited must hold.',
    writes: [],
  },
  codergen: {
    outcomes:
      '`success` with the answer, or the outcome that the backend or a status file reports; `fail` if the backend throws, which is retried if the error may be temporary.',
    writes: ['last_stage', 'last_response'],
  },
  'wait.human': {
    outcomes:
      '`success` with the label of the choice as its `preferred_label`; `retry` after its `timeout` without a default choice; `fail` if the question is skipped.',
    writes: ['human.gate.selected', 'human.gate.label', 'human.gate.target', 'human.gate.text'],
  },
  conditional: {
    outcomes: 'Always `success`; its edges are judged by the outcome of the stage before it.',
    writes: [],
  },
  parallel: {
    outcomes:
      'Decided by its `join_policy`: with `wait_all`, `success`, or `partial_success` if a branch failed; with the others, `fail` if too few branches succeed.',
    writes: [
      'parallel.results',
      'parallel.count',
      'parallel.success_count',
      'parallel.fail_count',
      'parallel.items',
    ],
  },
  'parallel.fan_in': {
    outcomes: '`success` with the best result; `fail` if there are no results, or all branches failed.',
    writes: [
      'parallel.fan_in.best_id',
      'parallel.fan_in.best_outcome',
      'parallel.fan_in.best',
      'parallel.results',
    ],
  },
  tool: {
    outcomes:
      '`success` if the command exits with 0, else `fail`; or the outcome in its status file. A signal or the `timeout` is a `fail` whatever the file says.',
    writes: ['tool.output', 'tool.stderr', 'tool.last_line', 'tool.exit_code'],
  },
  'stack.manager_loop': {
    outcomes:
      '`success` when its child has succeeded or its stop condition holds; `fail` when the child has ended otherwise, or after `manager.max_cycles`.',
    writes: ['stack.child.*'],
  },
  pipeline: {
    outcomes: '`success` if the child run has succeeded, `fail` if it has failed or was cancelled.',
    writes: [
      'child.status',
      'child.quality',
      'child.run_id',
      'child.run_dir',
      'child.steps',
      'child.failure_reason',
      'child.failed_node',
      'child.context.*',
    ],
  },
};
