import { z } from 'zod';
import { event } from './event.js';
import { commit, failureCategory, inBranch, milliseconds, text, valuesByKey } from './values.js';

const maxSteps = z
  .number()
  .optional()
  .meta({ description: 'Limit on executed stages, if the call overrides that of the pipeline.' });

const budget = z.union([z.number().min(0), z.literal('none')]);

const budgets = {
  budget_usd: budget.optional().meta({
    description:
      'Budget of the run in US dollars; `none` if it was lifted. Missing if nobody set one and no stage may cost money.',
  }),
  budget_tokens: z
    .number()
    .min(0)
    .optional()
    .meta({ description: 'Budget of the run in tokens. Missing if it has none.' }),
};

const stageBudgets = z
  .record(
    z.string(),
    z.object({
      usd: budget.optional().meta({ description: 'US dollars for one visit, or `none`.' }),
      tokens: z.number().min(0).optional().meta({ description: 'Tokens for one visit.' }),
    }),
  )
  .optional()
  .meta({ description: 'Budgets of stages that the call sets, by node.' });

const duration = milliseconds('Time since the run started, including pauses, in milliseconds.');

/** Events of a whole run (§9.6), by type. */
export const pipelineEvents = () => ({
  PipelineStarted: event('PipelineStarted', 'The run begins.', {
    name: text('The name of the pipeline.'),
    id: text('Same as `run_id`, under the name that the specification uses.'),
    goal: text('The goal of the pipeline; empty if it has none.'),
    graph_hash: text('Hash of the pipeline, to detect changes.'),
    exit: text('The exit node. Missing in journals of earlier versions.').optional(),
    inputs: valuesByKey('The inputs of the run.'),
    max_steps: maxSteps,
    commit: commit('In a run with git: the commit from which it starts.'),
    ...budgets,
    stage_budgets: stageBudgets,
  }),
  PipelineResumed: event('PipelineResumed', 'The run is resumed.', {
    from: text('Status of the run before it was resumed; `forked` at the start of a fork.'),
    max_steps: maxSteps,
    budget_usd: budget
      .optional()
      .meta({ description: 'Budget in US dollars from now on, if the call sets one; `none` lifts it.' }),
    budget_tokens: budgets.budget_tokens.meta({
      description: 'Budget in tokens from now on, if the call sets one.',
    }),
    stage_budgets: stageBudgets,
    node_id: text('The node at which it continues, if other than the one where it stopped.').optional(),
    inputs: valuesByKey('Inputs that the call sets.').optional(),
  }),
  PipelinePausing: event('PipelinePausing', 'The run will pause as soon as the running stages have ended.', {
    reason: text('The reason, for people.'),
  }),
  PipelinePaused: event('PipelinePaused', 'The run has stopped and can be resumed.', {
    reason: text('The reason, for people.'),
    node_id: text('The stage that the run waits for, if any.').optional(),
  }),
  PipelineCompleted: event('PipelineCompleted', 'The run reached its end.', {
    duration,
    artifact_count: z.int().min(0).meta({ description: 'Number of artifacts that its stages stored.' }),
  }),
  PipelineFailed: event('PipelineFailed', 'The run failed.', {
    ...inBranch,
    error: text('The reason.'),
    duration,
    kind: z.enum(['stage', 'routing', 'goal_gate', 'limit', 'timeout', 'property']).meta({
      description:
        'Cause of the failure: a failed stage, no edge to follow, an unsatisfied goal gate, a limit of the pipeline, its timeout, or a property that a stage would break.',
    }),
    node_id: text('The node at which it failed.'),
    resume_at: text('The stage that runs again on `resume`, if it is not that node.').optional(),
    failure_category: failureCategory
      .optional()
      .meta({ description: 'Category of the error that caused it, if known.' }),
  }),
  PipelineCancelled: event('PipelineCancelled', 'The run was cancelled.', { duration }),
});
