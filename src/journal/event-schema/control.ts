import { z } from 'zod';
import { event } from './event.js';
import { flag, inBranch, ordinal, text } from './values.js';

/** Events between the stages, by type. */
export const controlEvents = () => ({
  LoopRestarted: event('LoopRestarted', 'The pipeline starts afresh at a node, with a fresh context.', {
    node_id: text('The node.'),
    restart: ordinal('How often it has started afresh.'),
    directory: text('Where the stages keep their files from now on, in the run directory.'),
  }),
  EdgeSelected: event('EdgeSelected', 'Control continues to another node.', {
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
      .meta({ description: 'Why it goes there.' }),
    edge: z
      .int()
      .min(0)
      .optional()
      .meta({ description: 'Which edge of the graph, from 0. Missing for a jump.' }),
    label: text('The label of the edge.').optional(),
    condition: text('The condition of the edge.').optional(),
    gate: text('The goal gate behind a jump: the one that is not satisfied.').optional(),
    loop_restart: flag('Set where the pipeline starts afresh after the edge.'),
  }),
  CheckpointSaved: event('CheckpointSaved', '`checkpoint.json` was written.', {
    node_id: text('The node that had ended last.'),
  }),
  LogAppended: event('LogAppended', 'Something deserves a look, although the run continues.', {
    level: z.enum(['info', 'warning']).meta({ description: 'How much it deserves it.' }),
    message: text('What it is.'),
    node_id: text('The stage that it is about, where it is about one.').optional(),
  }),
});
