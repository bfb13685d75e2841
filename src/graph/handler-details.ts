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
  start: { outcomes: '`success`, unless `fail_when` makes it a `fail`.', writes: [] },
  exit: {
    outcomes: 'Always `success`. Every visited goal gate must be satisfied before it runs.',
    writes: [],
  },
  codergen: {
    outcomes:
      '`success` with the answer, or the outcome that the backend or a status file reports; `fail` if the backend throws; a temporary error is retried.',
    writes: ['last_stage', 'last_response'],
  },
  'wait.human': {
    outcomes:
      '`success` with the label of the choice as its `preferred_label`; `retry` after its `timeout` without a default choice; `fail` if the question is skipped.',
    writes: ['human.gate.selected', 'human.gate.label', 'human.gate.target', 'human.gate.text'],
  },
  conditional: {
    outcomes:
      '`success`, unless `fail_when` makes it a `fail`. Its edges route on the outcome of the stage before it.',
    writes: [],
  },
  parallel: {
    outcomes:
      'Depends on `join_policy`. With `wait_all`, `success`, or `partial_success` if a branch failed; with the other policies, `fail` if too few branches succeed.',
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
      '`success` if the command exits with 0, else `fail`; or the outcome in its status file. A signal or a `timeout` is a `fail`, whatever the file says.',
    writes: ['tool.output', 'tool.stderr', 'tool.last_line', 'tool.exit_code', 'tool.json'],
  },
  'stack.manager_loop': {
    outcomes:
      '`success` if its child succeeds or its stop condition holds; `fail` if the child ends otherwise, or after `manager.max_cycles`.',
    writes: ['stack.child.*'],
  },
  pipeline: {
    outcomes: '`success` if the child run succeeds, `fail` if it fails or is cancelled.',
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
