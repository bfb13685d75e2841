import type { nodeAttributes } from './attributes.js';
import type { BuiltInHandlerType } from './handler-types.js';

/** Documentation of a handler type, which the engine does not need: for reference pages and help. */
export interface HandlerDetails {
  /** Node attributes that matter to this type and not to every stage. */
  readonly attributes: readonly (keyof typeof nodeAttributes)[];
  /** Conditions of each outcome, in sentences. */
  readonly outcomes: string;
  /** Context keys that it sets. */
  readonly writes: readonly string[];
}

const llm = [
  'prompt',
  'llm_model',
  'llm_provider',
  'reasoning_effort',
  'fidelity',
  'thread_id',
  'auto_status',
] as const;
const budgets = ['budget_usd', 'budget_tokens'] as const;
const model = ['prompt', 'llm_model', 'llm_provider', 'reasoning_effort', ...budgets] as const;

/** §2.8 and chapter 4, type by type. */
export const handlerDetails: Readonly<Record<BuiltInHandlerType, HandlerDetails>> = {
  start: { attributes: [], outcomes: 'Always `success`.', writes: [] },
  exit: {
    attributes: [],
    outcomes: 'Always `success`. Before it runs, every goal gate that was visited must hold.',
    writes: [],
  },
  codergen: {
    attributes: [...llm, 'tools', 'tool_hooks.pre', 'tool_hooks.post', ...budgets],
    outcomes:
      '`success` with the answer, or the outcome that the backend or a status file reports; `fail` where the backend throws, which is tried again where the error may pass.',
    writes: ['last_stage', 'last_response'],
  },
  'wait.human': {
    attributes: ['human.default_choice', 'timeout'],
    outcomes:
      '`success` with the label of the choice as its `preferred_label`; `retry` after its `timeout` without a default choice; `fail` where the question is skipped.',
    writes: ['human.gate.selected', 'human.gate.label', 'human.gate.target'],
  },
  conditional: {
    attributes: [],
    outcomes: 'Always `success`; its edges are judged by the outcome of the stage before it.',
    writes: [],
  },
  parallel: {
    attributes: ['join_policy', 'join_k', 'join_quorum', 'error_policy', 'max_parallel'],
    outcomes:
      'As its `join_policy` says: with `wait_all`, `success`, or `partial_success` where a branch failed; with the others `fail` where too few branches succeed.',
    writes: ['parallel.results', 'parallel.count', 'parallel.success_count', 'parallel.fail_count'],
  },
  'parallel.fan_in': {
    attributes: [...model],
    outcomes: '`success` with the best result; `fail` where there are no results, or all branches failed.',
    writes: [
      'parallel.fan_in.best_id',
      'parallel.fan_in.best_outcome',
      'parallel.fan_in.best',
      'parallel.results',
    ],
  },
  tool: {
    attributes: ['tool_command', 'workdir'],
    outcomes:
      '`success` where the command exits with 0, else `fail`; or what it leaves in its status file. A signal or the `timeout` is a `fail` whatever the file says.',
    writes: ['tool.output', 'tool.stderr', 'tool.last_line', 'tool.exit_code'],
  },
  'stack.manager_loop': {
    attributes: [
      'child',
      'params.*',
      'manager.poll_interval',
      'manager.max_cycles',
      'manager.stop_condition',
      'manager.actions',
      'manager.steer_cooldown',
      'stack.child_autostart',
      ...model,
    ],
    outcomes:
      '`success` when its child has succeeded or its stop condition holds; `fail` when the child has ended otherwise, or after `manager.max_cycles`.',
    writes: ['stack.child.*'],
  },
  pipeline: {
    attributes: ['child', 'params.*', 'workdir', ...budgets],
    outcomes: '`success` where the child run has succeeded, `fail` where it has failed or was cancelled.',
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
