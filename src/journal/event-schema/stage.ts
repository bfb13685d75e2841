import { z } from 'zod';
import { event } from './event.js';
import { commit, count, fidelity, flag, inBranch, milliseconds, ordinal, outcome, text } from './values.js';

/** Fields of all stage events about their stage (SEMANTICS 74a, 94). */
export const stage = {
  ...inBranch,
  node_id: text('The id of the node.'),
  name: text('The label of the node.'),
  index: count('Which visit of the run this is, from 0; a retry is the same visit.'),
  attempt: ordinal('Which attempt of the visit this is, from 1.'),
  visit: ordinal('How often the node was entered, this time included.'),
};

const settled = {
  ...stage,
  duration: milliseconds('Milliseconds of this attempt.'),
  outcome: outcome.meta({ description: 'What the stage returned.' }),
  commit: commit('The commit that its files are at now, of a run with git.'),
  simulated: flag('Set if the stage did no real work: it was simulated or scripted.'),
};

/** The fields of the events of a stage (§9.6), by type. */
export const stageEvents = () => ({
  StageStarted: event('StageStarted', 'An attempt begins.', {
    ...stage,
    resumed: flag('Set where the attempt was cut off before, by the end of a process, and runs again.'),
    fidelity: fidelity
      .optional()
      .meta({ description: 'Of an LLM stage: how much it is told of what went before.' }),
    thread_id: text(
      'Of an LLM stage that is told everything: the session that it shares with others.',
    ).optional(),
    degraded: flag('Set where it is told less than the pipeline asks for, because its session was lost.'),
  }),
  StageCompleted: event('StageCompleted', 'An attempt succeeded, in whole or in part.', settled),
  StageSkipped: event('StageSkipped', 'An attempt skipped its work.', {
    ...settled,
    stopped: flag('Set where it was stopped, because its branch no longer mattered.'),
  }),
  StageFailed: event('StageFailed', 'An attempt failed, or asked for another.', {
    ...settled,
    error: text('Why.'),
    will_retry: z.boolean().meta({
      description: 'Whether another attempt follows; then the next event of the stage is `StageRetrying`.',
    }),
  }),
  StageRetrying: event('StageRetrying', 'Another attempt follows.', {
    ...stage,
    delay: milliseconds('Milliseconds of the pause before it.'),
  }),
  StageSuspended: event(
    'StageSuspended',
    'A stage cannot continue now, as when nobody is there to answer; it runs again when the run is resumed.',
    { ...stage, reason: text('Why, for people.') },
  ),
});
