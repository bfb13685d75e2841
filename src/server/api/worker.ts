import { z } from 'zod';

/** A worker of a cluster, as it describes itself. */
const workerSchema = z
  .object({
    id: z.string(),
    host: z.string(),
    pid: z.number().int(),
    /** Names that pipelines may require of a worker. */
    labels: z.array(z.string()),
    /** Number of runs that it has, those included that wait for a person, and the most that it takes. */
    runs: z.number().int(),
    max_runs: z.number().int(),
    /** Number of stages that it performs for runs of other workers, and the most that it takes. */
    stages: z.number().int(),
    max_stages: z.number().int(),
    /** Version of the records that it can continue. */
    version: z.string(),
    started: z.string(),
    /** Time of its last sign of life. */
    beat: z.string(),
    /** True if it takes no more runs, because it is about to stop. */
    leaving: z.boolean(),
  })
  .meta({ id: 'Worker' });

/** `GET /workers`: the workers with a sign of life, the longest at work first. */
export const workerListSchema = z.object({ workers: z.array(workerSchema) }).meta({ id: 'WorkerList' });

export type WorkerJson = z.infer<typeof workerSchema>;
export type WorkerList = z.infer<typeof workerListSchema>;
