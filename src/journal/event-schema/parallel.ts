import { z } from 'zod';
import { event } from './event.js';
import { stage } from './stage.js';
import { commit, count, flag, milliseconds, stageStatus, text } from './values.js';

const branch = {
  branch: text('The id of the branch: its first node, after the ids of the branches around it.'),
  index: count('Index of the branch in the parallel node, from 0, in the order of the edges.'),
  node_id: text('The parallel node.'),
  parent: text('The branch that the parallel node itself is in.').optional(),
};

/** The fields of the events of a parallel node (§9.6), by type. */
export const parallelEvents = () => ({
  ParallelStarted: event('ParallelStarted', 'A parallel node starts its branches.', {
    ...stage,
    branch_count: count('Number of branches.'),
    max_parallel: z
      .number()
      .min(1)
      .meta({ description: 'Number of branches that may run at the same time.' }),
    join: text('The node where they meet again.'),
    commit: commit(
      'In a run with git: the commit at which the branches begin, if files were committed for them.',
    ),
    kept: count(
      'Number of branches that are not run again, after the parallel node failed and the run was resumed.',
    ).optional(),
  }),
  ParallelBranchStarted: event('ParallelBranchStarted', 'A branch begins.', {
    ...branch,
    resumed: flag('Set if it failed or was stopped before, and continues at the stage that did not finish.'),
  }),
  ParallelBranchCompleted: event('ParallelBranchCompleted', 'A branch ended.', {
    ...branch,
    duration: milliseconds('Milliseconds since the branch began.'),
    success: z.boolean().meta({ description: 'True if it counts as a success.' }),
    status: stageStatus.meta({
      description: 'Final outcome; `skipped` for a branch that was stopped because it no longer mattered.',
    }),
    error: text('Reason of the failure.').optional(),
  }),
  ParallelCompleted: event('ParallelCompleted', 'The branches that matter have ended.', {
    ...stage,
    duration: milliseconds('Milliseconds since the parallel node began.'),
    success_count: count('Number of branches that succeeded.'),
    failure_count: count('Number of branches that failed.'),
    error: text(
      'Set if the `timeout` of the parallel node passed; branches that still ran were stopped.',
    ).optional(),
  }),
});
