import { z } from 'zod';
import { event } from './event.js';
import { commit, count, fidelity, flag, inBranch, milliseconds, ordinal, outcome, text } from './values.js';

/** Fields of all stage events about their stage (SEMANTICS 74a, 94). */
export const stage = {
  ...inBranch,
  node_id: text('Id of the node.'),
  name: text('Label of the node.'),
  index: count('Number of the visit in the run, from 0; a retry is the same visit.'),
  attempt: ordinal('Number of the attempt in the visit, from 1.'),
  visit: ordinal('Number of times the node has been entered, including this time.'),
};

const settled = {
  ...stage,
  duration: milliseconds(
    'Duration of this attempt, in milliseconds, without the time in which it waited for its turn in a cluster.',
  ),
  outcome: outcome.meta({ description: 'Outcome of the stage.' }),
  commit: commit('In a run with git: the commit of the files after the stage.'),
  simulated: flag('Set if the stage did no real work: it was simulated or scripted.'),
};

/** Events of a stage (§9.6), by type. */
export const stageEvents = () => ({
  StageStarted: event('StageStarted', 'An attempt begins.', {
    ...stage,
    resumed: flag('Set if the attempt was interrupted because its process ended, and runs again.'),
    fidelity: fidelity.optional().meta({ description: 'Amount of history in the prompt of an LLM stage.' }),
    thread_id: text('Session that an LLM stage with `full` fidelity shares with others.').optional(),
    degraded: flag(
      'Set if the prompt has less history than the pipeline requests, because the session was lost.',
    ),
  }),
  StageCompleted: event('StageCompleted', 'An attempt succeeded, fully or partially.', settled),
  StageSkipped: event('StageSkipped', 'An attempt skipped its work.', {
    ...settled,
    stopped: flag('Set if it was stopped because its branch no longer mattered.'),
  }),
  StageFailed: event('StageFailed', 'An attempt failed or requested a retry.', {
    ...settled,
    error: text('The reason.'),
    will_retry: z.boolean().meta({
      description: 'True if another attempt follows; then the next event of the stage is `StageRetrying`.',
    }),
  }),
  StageRetrying: event('StageRetrying', 'Another attempt follows.', {
    ...stage,
    delay: milliseconds('Pause before the attempt, in milliseconds.'),
  }),
  StageSuspended: event(
    'StageSuspended',
    'A stage cannot continue for now, for example because nobody can answer its question. It runs again when the run is resumed.',
    { ...stage, reason: text('The reason, for people.') },
  ),
});
