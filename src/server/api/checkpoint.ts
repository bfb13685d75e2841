import { z } from 'zod';

const values = z.record(z.string(), z.json());

/** `GET /pipelines/{id}/checkpoint` (§5.3, DESIGN §4). */
export const checkpointSchema = z
  .object({
    timestamp: z.string(),
    current_node: z.string().nullable(),
    completed_nodes: z.array(z.string()),
    node_retries: z.record(z.string(), z.number().int()),
    context: values,
    logs: z.array(z.string()),
    next_node: z.string().nullable(),
    node_outcomes: values,
    restart: z.number().int(),
    status: z.enum(['created', 'running', 'paused', 'success', 'fail', 'cancelled']),
    seq: z.number().int(),
    graph_hash: z.string(),
    version: z.number().int(),
  })
  .meta({ id: 'Checkpoint' });

/** `GET /pipelines/{id}/context`. */
export const contextSchema = z.object({ context: values }).meta({ id: 'Context' });
