import { z } from 'zod';
import { event } from './event.js';
import { stage } from './stage.js';
import { commit, count, flag, milliseconds, stageStatus, text } from './values.js';

const branch = {
  branch: text('The id of the branch: its first node, after the ids of the branches around it.'),
  index: count('Which branch of the parallel node, from 0, in the order of the edges.'),
  node_id: text('The parallel node.'),
  parent: text('The branch that the parallel node itself is in.').optional(),
};

/** The fields of the events of a parallel node (§9.6), by type. */
export const parallelEvents = () => ({
  ParallelStarted: event('ParallelStarted', 'A parallel node starts its branches.', {
    ...stage,
    branch_count: count('How many branches there are.'),
    max_parallel: z.number().min(1).meta({ description: 'How many of them may run at the same time.' }),
    join: text('The node where they meet again.'),
    commit: commit(
      'The commit that the branches begin at, where files were taken in for them, of a run with git.',
    ),
    kept: count(
      'How many branches stay as they ended, where the parallel node failed before and the run was resumed.',
    ).optional(),
  }),
  ParallelBranchStarted: event('ParallelBranchStarted', 'A branch begins.', {
    ...branch,
    resumed: flag(
      'Set where it failed or was stopped before, and continues at the stage that did not finish.',
    ),
  }),
  ParallelBranchCompleted: event('ParallelBranchCompleted', 'A branch ended.', {
    ...branch,
    duration: milliseconds('Milliseconds since the branch began.'),
    success: z.boolean().meta({ description: 'Whether it counts as a success.' }),
    status: stageStatus.meta({
      description: 'How it ended; `skipped` for a branch that was stopped because it no longer mattered.',
    }),
    error: text('Why it failed.').optional(),
  }),
  ParallelCompleted: event('ParallelCompleted', 'The branches that matter have ended.', {
    ...stage,
    duration: milliseconds('Milliseconds since the parallel node began.'),
    success_count: count('How many branches succeeded.'),
    failure_count: count('How many branches failed.'),
    error: text('Set where the time of the parallel node was up; what still ran is stopped then.').optional(),
  }),
});
