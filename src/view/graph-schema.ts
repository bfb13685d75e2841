import { z } from 'zod';

/** `GET /pipelines/{id}/graph?format=json`: what it takes to tell the events of a run over its pipeline. */
export const graphStructureSchema = z
  .object({
    name: z.string(),
    goal: z.string(),
    /** In the order of the text. */
    nodes: z.array(z.object({ id: z.string(), label: z.string(), handler: z.string() })),
    /** In the order that events number them in; the element of each in the picture is called `edge-<its number>`. */
    edges: z.array(z.object({ from: z.string(), to: z.string(), label: z.string(), condition: z.string() })),
  })
  .meta({ id: 'GraphStructure' });

export type GraphStructure = z.infer<typeof graphStructureSchema>;
