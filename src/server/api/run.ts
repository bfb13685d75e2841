import { z } from 'zod';
import { longestWords } from '../../run-directory/longest-words.js';
import { bodyFields } from '../../run-directory/recorded-settings.js';
import type { RunOverview } from '../../view/run-overview.js';

/**
 * Options of a client besides the pipeline itself when it starts a run (§9.5): fields of `recordedFields`,
 * and the backend.
 */
export const submissionSchema = z
  .strictObject({
    /** The pipeline, as DOT. */
    dot: z.string().min(1),
    ...bodyFields('submission'),
    /** One of the backends that the server allows. */
    backend: z.string().optional(),
    provider: z.string().optional(),
    model: z.string().optional(),
  })
  .meta({ id: 'Submission' });

export const resumptionSchema = z.strictObject(bodyFields('resumption')).meta({ id: 'Resumption' });

export const pauseSchema = z
  .strictObject({ mode: z.enum(['after_stage', 'now']).optional(), reason: z.string().max(1000).optional() })
  .meta({ id: 'PauseRequest' });

export const steerSchema = z
  .strictObject({
    /** The stage, `<node>/<stage>` for one of a child run. */
    stage: z.string(),
    /** Its branch, if several branches execute it. */
    branch: z.string().optional(),
    text: z.string().min(1).max(longestWords),
    /** Name of the person, for the journal. */
    by: z.string().max(200).optional(),
  })
  .meta({ id: 'SteerRequest' });

export const steeredSchema = z
  .object({
    /** Id of the words in the journal: `steering_id` of `StageSteered` and of `SteeringDelivered`. */
    steering_id: z.string(),
  })
  .meta({ id: 'SteeredStage' });

export const forkSchema = z
  .strictObject({
    /** Before the last visit of this node; by default at the end. */
    at: z.string().optional(),
    /** After this many steps. */
    step: z.number().int().nonnegative().optional(),
    /** Continues with the new run at once. */
    resume: z.boolean().optional(),
  })
  .meta({ id: 'ForkRequest' });

/**
 * Status of a run of the server. `queued` runs wait for a place among those that may run at once;
 * `interrupted` ones have not ended, but no live process executes them.
 */
export const runStatuses = [
  'queued',
  'running',
  'paused',
  'interrupted',
  'success',
  'fail',
  'cancelled',
  'damaged',
] as const;
export type SteerRequest = z.infer<typeof steerSchema>;
export type SteeredStageJson = z.infer<typeof steeredSchema>;
export type RunStatusName = (typeof runStatuses)[number];

/** The answer to what starts a run or changes its state. */
export const acceptedSchema = z
  .object({ id: z.string(), status: z.enum(runStatuses) })
  .meta({ id: 'AcceptedRun' });

/** A run in a list. */
export const runListEntrySchema = z
  .object({
    id: z.string(),
    name: z.string(),
    goal: z.string(),
    status: z.enum(runStatuses),
    simulated: z.boolean(),
    start_time: z.string(),
    /** Milliseconds; null while it has not ended. */
    duration_ms: z.number().nullable(),
    /** Current or last node. */
    current_node: z.string().nullable(),
    /** Worker of a cluster that has the run, or had it last; null for a run that no worker has had. */
    worker: z.string().nullable(),
    /** Thing that a queued run of a cluster waits for, as the end of a sentence; null if a worker will take it at once. */
    waits_for: z.string().nullable(),
    steps: z.number().int(),
    /**
     * Cost of its models so far in US dollars, and their tokens; null if that is unknown without reading
     * the whole journal.
     */
    cost_usd: z.number().nullable(),
    tokens: z.number().nullable(),
    /** Number of questions that wait for an answer. */
    open_questions: z.number().int(),
    /** Nothing happens in it but that it waits for an answer; null where that is not known without reading all of it. */
    only_asks: z.boolean().nullable(),
    failure_reason: z.string().nullable(),
  })
  .meta({ id: 'RunListEntry' });

export const runListSchema = z
  .object({
    /** The newest first. */
    runs: z.array(runListEntrySchema),
    /** Names the next page; null on the last one. */
    next_cursor: z.string().nullable(),
    /** Number of runs by status, among all that match apart from the requested status. */
    counts: z.record(z.string(), z.number().int()),
  })
  .meta({ id: 'RunList' });

/** `GET /pipelines/{id}`: what `status --json` prints, and what the server knows besides (§9.5). */
export interface RunDetail extends Omit<RunOverview, 'status'> {
  readonly id: string;
  readonly status: RunStatusName;
  /** Number of runs before it in the queue; null if it does not wait. */
  readonly queue_position: number | null;
  /** Thing that a queued run of a cluster waits for, as the end of a sentence; null if a worker will take it at once. */
  readonly waits_for: string | null;
  /** Process that executes it: this server, another process of the machine, or none. */
  readonly executed_by: 'server' | 'other' | null;
  /** Actions that it allows now. */
  readonly actions: readonly RunAction[];
}

export const runActions = ['pause', 'cancel', 'resume', 'fork'] as const;
export type RunAction = (typeof runActions)[number];

export type Submission = z.infer<typeof submissionSchema>;
export type Resumption = z.infer<typeof resumptionSchema>;
export type PauseRequestBody = z.infer<typeof pauseSchema>;
export type ForkRequest = z.infer<typeof forkSchema>;
export type AcceptedRun = z.infer<typeof acceptedSchema>;
export type RunListEntry = z.infer<typeof runListEntrySchema>;
export type RunList = z.infer<typeof runListSchema>;
