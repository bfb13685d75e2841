import { z } from 'zod';
import type { JsonValue } from '../graph/json.js';

/** File that a visit of a stage left. */
const stageFileSchema = z.object({
  /** Path below the directory of the stage, `/` between names. */
  path: z.string(),
  bytes: z.number().int(),
});

const usageSchema = z.record(z.string(), z.json());

const attemptSchema = z.object({
  attempt: z.number().int(),
  started_at: z.string(),
  /** Null while it runs, or if it was cut off. */
  ended_at: z.string().nullable(),
  status: z.enum(['running', 'success', 'partial_success', 'fail', 'retry', 'skipped', 'cut_off']),
  error: z.string().nullable(),
  /** Delay of the next attempt, in milliseconds after the end of this one. */
  retry_delay_ms: z.number().nullable(),
});

/** Question of a stage to a person (§6.2), with its answer. */
const askedQuestionSchema = z.object({
  id: z.string(),
  text: z.string(),
  options: z.array(z.object({ key: z.string(), label: z.string() })),
  asked_at: z.string(),
  /** Null until it is answered. */
  answer: z
    .object({
      value: z.string(),
      label: z.string().nullable(),
      text: z.string().nullable(),
      /** True if nobody answered in time. */
      by_default: z.boolean(),
    })
    .nullable(),
  duration_ms: z.number().nullable(),
});

/** Tool that the model of a stage has called. */
const toolUseSchema = z.object({
  tool: z.string(),
  /** JSON, and the output for the model; only the beginning of a long one. */
  input: z.string(),
  output: z.string().nullable(),
  /** Null while it runs, or if it was cut off. */
  success: z.boolean().nullable(),
  duration_ms: z.number().nullable(),
});

/** Run that a visit has started (§9.4). */
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
  /** Ordinal from 1, restarts of the loop included. */
  visit: z.number().int(),
  /** Execution ordinal (SEMANTICS 74a), unique to one visit of the run and present in its events. */
  index: z.number().int(),
  /** Number of restarts of the pipeline before (SEMANTICS 36). */
  restart: z.number().int(),
  branch: z.string().nullable(),
  started_at: z.string(),
  ended_at: z.string().nullable(),
  /**
   * Status of the last attempt; `waiting` for the next one, `asking` a person, `branches` while those of a
   * parallel node run, `suspended` until the run is resumed, `cut_off` if it never ended.
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
  /** Latest hundred attempts. */
  attempts: z.array(attemptSchema),
  /** Texts of the outcome; in a timeline the beginning of each. */
  notes: z.string().nullable(),
  failure_reason: z.string().nullable(),
  preferred_label: z.string().nullable(),
  /** True if its outcome was simulated or scripted: no model, agent or tool worked. */
  simulated: z.boolean(),
  /** Transition from here, with the reason; null if there was none, or the run ended here. */
  next: z
    .object({
      to: z.string(),
      label: z.string().nullable(),
      condition: z.string().nullable(),
      reason: z.string(),
      /** True if the pipeline restarts there. */
      loop_restart: z.boolean(),
    })
    .nullable(),
  usage: usageSchema.nullable(),
  /** Number of tool calls by its model. */
  tool_calls: z.number().int(),
} as const;

/** Visit in a list: its facts that fit in a line. */
export const visitRowSchema = z.object(visitRow).meta({ id: 'VisitRow' });

/** Visit of a stage: everything from the arrival of control to its departure (§3.2). */
export const stageVisitSchema = z
  .object({
    ...visitRow,
    questions: z.array(askedQuestionSchema),
    /** Words of people to its model, the latest hundred. */
    words: z.array(
      z.object({
        id: z.string(),
        text: z.string(),
        by: z.string().nullable(),
        at: z.string(),
        /** Null until the model gets them. */
        delivered_at: z.string().nullable(),
      }),
    ),
    /** Latest hundred tool calls. */
    tool_uses: z.array(toolUseSchema),
    /** Entries of the run log about it. */
    log: z.array(z.object({ level: z.enum(['info', 'warning']), message: z.string(), at: z.string() })),
    /** End of the model's answer so far, until it settles: then `response.md` has it. */
    output: z.string(),
    files: z.array(stageFileSchema),
    child_runs: z.array(childRunSchema),
  })
  .meta({ id: 'StageVisit' });

/** Value that a visit read when it began. */
const readValueSchema = z.object({
  /** Path as the pipeline writes it, or the name of a branch's item. */
  name: z.string(),
  /** Attribute that reads it, such as `reads` or `prompt`; `item` for the item of the branch. */
  by: z.string(),
  /** Missing if there was no such value. */
  value: z.json().optional(),
});

/** Value that a visit put into the context. */
const givenValueSchema = z.object({
  /** Key of the context. */
  name: z.string(),
  /**
   * `output` for the JSON of a tool, `writes` for a declared key, `assign` for an `assign.<key>`, `merge` for a value of the
   * branches of a parallel node, `engine` for what handlers set for every stage, `update` for any other key.
   */
  by: z.enum(['output', 'writes', 'assign', 'merge', 'update', 'engine']),
  value: z.json(),
  /** Origin of a value with `merge` (SEMANTICS 107). */
  merge: z
    .object({
      policy: z.enum(['last_wins', 'first_wins', 'error']),
      /** Branch of the value. */
      branch: z.string(),
      /** Number of branches that set the key. */
      count: z.number().int(),
    })
    .optional(),
});

/** `GET /pipelines/{id}/stages/{node}/values`: values of a visit. */
export const stageValuesSchema = z
  .object({
    visit: z.number().int(),
    read: z.array(readValueSchema),
    gave: z.array(givenValueSchema),
  })
  .meta({ id: 'StageValues' });

/** `GET /pipelines/{id}/stages/{node}`. */
export const stageDetailSchema = z
  .object({
    node_id: z.string(),
    label: z.string(),
    handler: z.string(),
    /** Attributes of the node after transforms, as text. */
    attributes: z.record(z.string(), z.string()),
    /** Visits, the latest last. */
    visits: z.array(stageVisitSchema),
    /** Number of visits that are left out: those given are the latest. */
    omitted: z.number().int(),
  })
  .meta({ id: 'StageDetail' });

/** `GET /pipelines/{id}/timeline`: all visits in the order in which they began. */
export const timelineSchema = z
  .object({
    started_at: z.string(),
    /** Time of the last event. */
    ended_at: z.string(),
    visits: z.array(visitRowSchema),
    /** Number of visits that are left out: those given are the latest. */
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
/** Value with the type of values in the context. */
type WithJson<Value> = Readonly<Omit<Value, 'value'>> & { readonly value: JsonValue };
export type GivenValue = WithJson<z.infer<typeof givenValueSchema>>;
export type ReadValue = Omit<WithJson<z.infer<typeof readValueSchema>>, 'value'> &
  Partial<Pick<GivenValue, 'value'>>;
export type StageDetail = z.infer<typeof stageDetailSchema>;
export type Timeline = z.infer<typeof timelineSchema>;
export type ArtifactList = z.infer<typeof artifactListSchema>;
export type VisitRow = z.infer<typeof visitRowSchema>;
