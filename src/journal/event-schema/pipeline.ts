import { z } from 'zod';
import { event } from './event.js';
import { commit, failureCategory, inBranch, milliseconds, text, valuesByKey } from './values.js';

const maxSteps = z
  .number()
  .optional()
  .meta({ description: 'How many stages may be executed, where the call says so in place of the pipeline.' });

const budgets = {
  budget_usd: z
    .number()
    .min(0)
    .optional()
    .meta({ description: 'What the run may cost in US dollars. Missing where it has no such budget.' }),
  budget_tokens: z
    .number()
    .min(0)
    .optional()
    .meta({ description: 'How many tokens the run may use. Missing where it has no such budget.' }),
};

const duration = milliseconds('Milliseconds since the run started, pauses included.');

/** Fields of the events of a whole run (§9.6), by type; the first entry describes the event. */
export const pipelineEvents = () => ({
  PipelineStarted: event('PipelineStarted', 'The run begins.', {
    name: text('The name of the pipeline.'),
    id: text('The id of the run, under the name that the specification has for it.'),
    goal: text('The goal of the pipeline; empty where it has none.'),
    graph_hash: text('A hash of the pipeline, by which a changed one is recognised.'),
    exit: text('The exit node. Missing in journals of earlier versions.').optional(),
    inputs: valuesByKey('The values that the run was given.'),
    max_steps: maxSteps,
    commit: commit('The commit that it begins at, of a run with git.'),
    ...budgets,
  }),
  PipelineResumed: event('PipelineResumed', 'A process resumes the run.', {
    from: text('The status in which the run was found; `forked` where a fork begins.'),
    max_steps: maxSteps,
    budget_usd: budgets.budget_usd.meta({
      description: 'What it may cost from now on, where the call says so.',
    }),
    budget_tokens: budgets.budget_tokens.meta({
      description: 'How many tokens it may use from now on, where the call says so.',
    }),
    node_id: text('Where it continues, if not where it stopped.').optional(),
    inputs: valuesByKey('The values that were given this time.').optional(),
  }),
  PipelinePausing: event(
    'PipelinePausing',
    'The run is to pause as soon as the stages that are running have ended.',
    { reason: text('Why, for people.') },
  ),
  PipelinePaused: event('PipelinePaused', 'The run has stopped so that it can be resumed.', {
    reason: text('Why, for people.'),
    node_id: text('The stage that it waits for, where it waits for one.').optional(),
  }),
  PipelineCompleted: event('PipelineCompleted', 'The run reached its end.', {
    duration,
    artifact_count: z.int().min(0).meta({ description: 'How many artifacts its stages have stored.' }),
  }),
  PipelineFailed: event('PipelineFailed', 'The run failed.', {
    ...inBranch,
    error: text('Why.'),
    duration,
    kind: z.enum(['stage', 'routing', 'goal_gate', 'limit', 'timeout']).meta({
      description:
        'What stopped it: a stage that failed, no edge to follow, a goal gate that is not satisfied, a limit of the pipeline, or its time.',
    }),
    node_id: text('Where it failed.'),
    resume_at: text(
      'The stage that runs again when the run is resumed, where that is another one.',
    ).optional(),
    failure_category: failureCategory
      .optional()
      .meta({ description: 'The kind of error that caused it, if known.' }),
  }),
  PipelineCancelled: event('PipelineCancelled', 'Somebody cancelled the run.', { duration }),
});
