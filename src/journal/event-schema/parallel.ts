import { z } from 'zod';
import { event } from './event.js';
import { stage } from './stage.js';
import { commit, count, flag, milliseconds, stageStatus, text, valueList } from './values.js';

const branch = {
  branch: text(
    'The id of the branch: its first node, numbered under `foreach`, after the ids of the branches around it.',
  ),
  index: count(
    'Index of the branch in the parallel node, from 0, in the order of the edges, or of the items.',
  ),
  node_id: text('The parallel node.'),
  parent: text('The branch that the parallel node itself is in.').optional(),
};

/** The fields of the events of a parallel node (§9.6), by type. */
export const parallelEvents = () => ({
  ParallelItems: event(
    'ParallelItems',
    'Items of a list that is too long for one event, before the `ParallelStarted` with the last of them.',
    {
      ...stage,
      offset: count('The position of the first of these items in the list, from 0.'),
      items: valueList('These items; a large one is a reference to its artifact.'),
    },
  ),
  ParallelStarted: event('ParallelStarted', 'A parallel node starts its branches.', {
    ...stage,
    branch_count: count('Number of branches.'),
    items: valueList(
      'Items that become branches under `foreach`, or the last of them. Missing for branches of edges, and if the items of an earlier attempt or of a failed visit are used again.',
    ).optional(),
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
