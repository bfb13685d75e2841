import { z } from 'zod';

/**
 * `GET /pipelines/{id}/graph?format=json`: everything needed to apply the events of a run to a picture of
 * its pipeline.
 */
export const graphStructureSchema = z
  .object({
    name: z.string(),
    goal: z.string(),
    /** Nodes in the order of the text. */
    nodes: z.array(
      z.object({
        id: z.string(),
        label: z.string(),
        handler: z.string(),
        /** Parallel node of the main line in whose branches alone it runs: a run continues there instead; null for any other node. */
        only_in: z.string().nullable(),
      }),
    ),
    /**
     * Edges in the order of their numbers in events; the element of each in the picture is called
     * `edge-<its number>`.
     */
    edges: z.array(z.object({ from: z.string(), to: z.string(), label: z.string(), condition: z.string() })),
  })
  .meta({ id: 'GraphStructure' });

export type GraphStructure = z.infer<typeof graphStructureSchema>;
