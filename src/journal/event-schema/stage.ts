import { z } from 'zod';
import { event } from './event.js';
import { commit, count, fidelity, flag, inBranch, milliseconds, ordinal, outcome, text } from './values.js';

/** Fields of all stage events about their stage (SEMANTICS 74a, 94). */
export const stage = {
  ...inBranch,
  node_id: text('The id of the node.'),
  name: text('The label of the node.'),
  index: count('Number of the visit in the run, from 0; a retry is the same visit.'),
  attempt: ordinal('Number of the attempt in the visit, from 1.'),
  visit: ordinal('Number of times the node was entered, this time included.'),
};

const settled = {
  ...stage,
  duration: milliseconds('Milliseconds of this attempt.'),
  outcome: outcome.meta({ description: 'Outcome of the stage.' }),
  commit: commit('In a run with git: the commit of its files now.'),
  simulated: flag('Set if the stage did no real work: it was simulated or scripted.'),
};

/** The fields of the events of a stage (§9.6), by type. */
export const stageEvents = () => ({
  StageStarted: event('StageStarted', 'An attempt begins.', {
    ...stage,
    resumed: flag('Set if the attempt was cut off by the end of a process and runs again.'),
    fidelity: fidelity.optional().meta({ description: 'Amount of history in the prompt of an LLM stage.' }),
    thread_id: text('Session that an LLM stage with the whole history shares with others.').optional(),
    degraded: flag(
      'Set if the prompt has less history than the pipeline asks for, because the session was lost.',
    ),
  }),
  StageCompleted: event('StageCompleted', 'An attempt succeeded, in whole or in part.', settled),
  StageSkipped: event('StageSkipped', 'An attempt skipped its work.', {
    ...settled,
    stopped: flag('Set if it was stopped because its branch no longer mattered.'),
  }),
  StageFailed: event('StageFailed', 'An attempt failed, or asked for another.', {
    ...settled,
    error: text('Reason.'),
    will_retry: z.boolean().meta({
      description: 'True if another attempt follows; then the next event of the stage is `StageRetrying`.',
    }),
  }),
  StageRetrying: event('StageRetrying', 'Another attempt follows.', {
    ...stage,
    delay: milliseconds('Milliseconds of the pause before it.'),
  }),
  StageSuspended: event(
    'StageSuspended',
    'A stage cannot continue now, for example because nobody can answer its question; it runs again when the run is resumed.',
    { ...stage, reason: text('Reason, for people.') },
  ),
});
