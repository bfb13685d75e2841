import { z } from 'zod';
import { event } from './event.js';
import { stage } from './stage.js';
import { commit, count, flag, milliseconds, stageStatus, text, valueList } from './values.js';

const branch = {
  branch: text(
    'Id of the branch: its first node (`analyze`, under `foreach` `analyze#1`), after the ids of the enclosing branches.',
  ),
  index: count('Index of the branch in its parallel node, from 0, in the order of the edges or items.'),
  node_id: text('The parallel node.'),
  parent: text('The branch that the parallel node itself is in.').optional(),
};

/** Events of a parallel node (§9.6), by type. */
export const parallelEvents = () => ({
  ParallelItems: event(
    'ParallelItems',
    'Some items of a list that is too long for one event; `ParallelStarted` follows with the last ones.',
    {
      ...stage,
      offset: count('Position of the first of these items in the list, from 0.'),
      items: valueList('The items; a large one is a reference to its artifact.'),
    },
  ),
  ParallelStarted: event('ParallelStarted', 'A parallel node starts its branches.', {
    ...stage,
    branch_count: count('Number of branches.'),
    items: valueList(
      'Items of `foreach`, one branch for each; of a list that is too long for one event, the last ones. Missing without `foreach`, and if the items of an earlier attempt or of a failed visit are used again.',
    ).optional(),
    max_parallel: z
      .number()
      .min(1)
      .meta({ description: 'Number of branches that may run at the same time.' }),
    join: text('The node at which the branches join.'),
    commit: commit(
      'In a run with git: the commit from which the branches start, if files were committed for them.',
    ),
    kept: count(
      'Number of branches that are kept instead of run again, after the parallel node failed and the run was resumed.',
    ).optional(),
  }),
  ParallelBranchStarted: event('ParallelBranchStarted', 'A branch begins.', {
    ...branch,
    resumed: flag(
      'Set if the branch failed or was stopped earlier, and continues at the stage that did not finish.',
    ),
  }),
  ParallelBranchCompleted: event('ParallelBranchCompleted', 'A branch ended.', {
    ...branch,
    duration: milliseconds('Time since the branch began, in milliseconds.'),
    success: z.boolean().meta({ description: 'True if it counts as a success.' }),
    status: stageStatus.meta({
      description: 'Final outcome; `skipped` if the branch was stopped because it no longer mattered.',
    }),
    error: text('Reason for the failure.').optional(),
  }),
  ParallelCompleted: event(
    'ParallelCompleted',
    'All branches have ended, except those that no longer matter.',
    {
      ...stage,
      duration: milliseconds('Time since the parallel node began, in milliseconds.'),
      success_count: count('Number of branches that succeeded.'),
      failure_count: count('Number of branches that failed.'),
      error: text(
        'Set if the parallel node exceeded its `timeout`; branches still running were stopped.',
      ).optional(),
    },
  ),
});
