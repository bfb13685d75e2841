import { z } from 'zod';

/** A file that a visit of a stage left. */
const stageFileSchema = z.object({
  /** Below the directory of the stage, `/` between names. */
  path: z.string(),
  bytes: z.number().int(),
});

const usageSchema = z.record(z.string(), z.json());

const attemptSchema = z.object({
  attempt: z.number().int(),
  started_at: z.string(),
  /** Null while it runs, or where it was cut off. */
  ended_at: z.string().nullable(),
  status: z.enum(['running', 'success', 'partial_success', 'fail', 'retry', 'skipped', 'cut_off']),
  error: z.string().nullable(),
  /** When the next attempt begins after this one, in milliseconds after its end. */
  retry_delay_ms: z.number().nullable(),
});

/** A question that a stage has put to a person (§6.2), and what became of it. */
const askedQuestionSchema = z.object({
  id: z.string(),
  text: z.string(),
  options: z.array(z.object({ key: z.string(), label: z.string() })),
  asked_at: z.string(),
  /** Null while nobody has answered. */
  answer: z
    .object({
      value: z.string(),
      label: z.string().nullable(),
      text: z.string().nullable(),
      /** Nobody answered in time. */
      by_default: z.boolean(),
    })
    .nullable(),
  duration_ms: z.number().nullable(),
});

/** A tool that the model of a stage has called. */
const toolUseSchema = z.object({
  tool: z.string(),
  /** JSON, and what the model was told; the beginning where it is long. */
  input: z.string(),
  output: z.string().nullable(),
  /** Null while it runs, or where it was cut off. */
  success: z.boolean().nullable(),
  duration_ms: z.number().nullable(),
});

/** A run that a visit has started (§9.4). */
const childRunSchema = z.object({
  run_id: z.string(),
  name: z.string(),
  status: z.string(),
  /** Its directory, below that of the run. */
  path: z.string(),
});

const visitRow = {
  node_id: z.string(),
  /** The label of the node. */
  name: z.string(),
  /** From 1 on, restarts of the loop included. */
  visit: z.number().int(),
  /** The execution ordinal (SEMANTICS 74a): one visit of the run has it, and its events say it. */
  index: z.number().int(),
  /** How often the pipeline had been started afresh then (SEMANTICS 36). */
  restart: z.number().int(),
  branch: z.string().nullable(),
  started_at: z.string(),
  ended_at: z.string().nullable(),
  /**
   * As of the last attempt; `waiting` for the next one, `asking` a person, `branches` while those of a parallel node run, `suspended` until the run is resumed, `cut_off`
   * where it never came to its end.
   */
  status: z.enum([
    'running',
    'waiting',
    'asking',
    'branches',
    'suspended',
    'success',
    'partial_success',
    'fail',
    'skipped',
    'retry',
    'cut_off',
  ]),
  /** The latest hundred. */
  attempts: z.array(attemptSchema),
  /** In a timeline the beginning of each. */
  notes: z.string().nullable(),
  failure_reason: z.string().nullable(),
  preferred_label: z.string().nullable(),
  /** Where control went from here, and why; null where it has not, or the run ended here. */
  next: z
    .object({
      to: z.string(),
      label: z.string().nullable(),
      condition: z.string().nullable(),
      reason: z.string(),
      /** The pipeline starts afresh there. */
      loop_restart: z.boolean(),
    })
    .nullable(),
  usage: usageSchema.nullable(),
  /** How often its model called a tool. */
  tool_calls: z.number().int(),
} as const;

/** A visit in a list: what can be said of it in a line. */
export const visitRowSchema = z.object(visitRow).meta({ id: 'VisitRow' });

/** A visit of a stage: all that happened from when control came to it until it left (§3.2). */
export const stageVisitSchema = z
  .object({
    ...visitRow,
    context_updates: z.record(z.string(), z.json()),
    questions: z.array(askedQuestionSchema),
    /** The latest hundred. */
    tool_uses: z.array(toolUseSchema),
    /** What the run log says of it. */
    log: z.array(z.object({ level: z.enum(['info', 'warning']), message: z.string(), at: z.string() })),
    /** The end of what its model has answered so far, until it settles: then `response.md` has it. */
    output: z.string(),
    files: z.array(stageFileSchema),
    child_runs: z.array(childRunSchema),
  })
  .meta({ id: 'StageVisit' });

/** `GET /pipelines/{id}/stages/{node}`. */
export const stageDetailSchema = z
  .object({
    node_id: z.string(),
    label: z.string(),
    handler: z.string(),
    /** The attributes of the node after transforms, as text. */
    attributes: z.record(z.string(), z.string()),
    /** The latest last. */
    visits: z.array(stageVisitSchema),
    /** More visits than are given: those given are the latest. */
    omitted: z.number().int(),
  })
  .meta({ id: 'StageDetail' });

/** `GET /pipelines/{id}/timeline`: all visits in the order in which they began. */
export const timelineSchema = z
  .object({
    started_at: z.string(),
    /** Of the last event. */
    ended_at: z.string(),
    visits: z.array(visitRowSchema),
    /** More visits than are given: those given are the latest. */
    omitted: z.number().int(),
  })
  .meta({ id: 'Timeline' });

export const artifactListSchema = z
  .object({
    artifacts: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        bytes: z.number().int(),
        stored_at: z.string().nullable(),
      }),
    ),
  })
  .meta({ id: 'ArtifactList' });

export type StageVisit = z.infer<typeof stageVisitSchema>;
export type StageDetail = z.infer<typeof stageDetailSchema>;
export type Timeline = z.infer<typeof timelineSchema>;
export type ArtifactList = z.infer<typeof artifactListSchema>;
export type VisitRow = z.infer<typeof visitRowSchema>;
