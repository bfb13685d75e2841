import { z } from 'zod';
import { event } from './event.js';
import { flag, inBranch, ordinal, text } from './values.js';

/** Events between the stages, by type. */
export const controlEvents = () => ({
  LoopRestarted: event('LoopRestarted', 'The pipeline restarts at a node, with a fresh context.', {
    node_id: text('The node at which it restarts.'),
    restart: ordinal('Number of restarts so far.'),
    directory: text('Subdirectory of the run directory for the files of all stages from here on.'),
  }),
  EdgeSelected: event('EdgeSelected', 'Control moves to another node.', {
    ...inBranch,
    from: text('The node that control leaves.'),
    to: text('The node that it enters.'),
    reason: z
      .enum([
        'condition',
        'preferred_label',
        'suggested_next_ids',
        'weight',
        'failure_to_conditional',
        'retry_target',
        'fallback_retry_target',
        'goal_gate',
        'join',
      ])
      .meta({ description: 'Reason for the choice.' }),
    edge: z
      .int()
      .min(0)
      .optional()
      .meta({ description: 'Index of the edge in the graph, from 0. Missing for a jump.' }),
    label: text('The label of the edge.').optional(),
    condition: text('The condition of the edge.').optional(),
    gate: text('The unsatisfied goal gate that caused a jump.').optional(),
    loop_restart: flag('Set if the pipeline restarts after the edge.'),
  }),
  CheckpointSaved: event('CheckpointSaved', '`checkpoint.json` was written.', {
    node_id: text('The node that ended last.'),
  }),
  LogAppended: event('LogAppended', 'A warning or a note; the run continues.', {
    level: z.enum(['info', 'warning']).meta({ description: 'Severity.' }),
    message: text('The message.'),
    node_id: text('The stage of the message, if any.').optional(),
    about_files: flag('Set if the message is about the files that git keeps for the run.'),
  }),
});
