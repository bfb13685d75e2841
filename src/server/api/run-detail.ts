import { z } from 'zod';
import { type RunDetail, runActions, runStatuses } from './run.js';

const usageSchema = z.object({
  requests: z.number().int(),
  input_tokens: z.number().int(),
  output_tokens: z.number().int(),
  cached_input_tokens: z.number().int().optional(),
  cache_write_tokens: z.number().int().optional(),
  reasoning_tokens: z.number().int().optional(),
  cost_usd: z.number().optional(),
});

const stageUnderWaySchema = z.object({
  node_id: z.string(),
  name: z.string(),
  branch: z.string().nullable(),
  state: z.enum(['running', 'waiting', 'asking', 'suspended', 'branches']),
  attempt: z.number().int(),
  visit: z.number().int(),
  since: z.string(),
  until: z.string().nullable(),
  doing: z.string().nullable(),
  worker: z.string().nullable(),
});

const optionSchema = z.object({ key: z.string(), label: z.string() });

/** Question as in the journal; `GET /pipelines/{id}/questions` has the form for an answer. */
const questionSchema = z
  .object({
    id: z.string(),
    text: z.string(),
    type: z.enum(['YES_NO', 'MULTIPLE_CHOICE', 'FREEFORM', 'CONFIRMATION']),
    options: z.array(optionSchema),
    stage: z.string(),
    branch: z.string().nullable(),
    asked_at: z.string(),
    timeout_seconds: z.number().optional(),
  })
  .loose();

const parallelSchema = z.object({
  node_id: z.string(),
  branch: z.string().nullable(),
  branch_count: z.number().int(),
  branches: z.array(
    z.object({
      branch: z.string(),
      state: z.string(),
      since: z.string(),
      duration_ms: z.number().nullable(),
      error: z.string().nullable(),
    }),
  ),
});

const failureSchema = z.object({
  node_id: z.string(),
  reason: z.string(),
  category: z.string().nullable(),
  count: z.number().int(),
  retries: z.number().int(),
  at: z.string(),
  recovered: z.boolean(),
});

const childRunSchema = z.object({
  run_id: z.string(),
  run_dir: z.string(),
  name: z.string(),
  goal: z.string(),
  simulated: z.boolean(),
  start_time: z.string(),
  status: z.string(),
  current_node: z.string().nullable(),
  steps: z.number().int(),
  duration_ms: z.number().nullable(),
  node_id: z.string(),
  pid: z.number().int().nullable(),
  host: z.string().nullable(),
  stages: z.array(stageUnderWaySchema),
  questions: z.array(questionSchema),
  get child_runs() {
    return z.array(childRunSchema);
  },
});

z.globalRegistry.add(childRunSchema, { id: 'ChildRun' });

const budgetSchema = z.object({
  unit: z.enum(['usd', 'tokens']),
  limit: z.number(),
  used: z.number(),
  node_id: z.string().nullable(),
});

const documentedDetail = z.object({
  id: z.string(),
  run_id: z.string(),
  run_dir: z.string(),
  name: z.string(),
  goal: z.string(),
  status: z.enum(runStatuses),
  queue_position: z.number().int().nullable(),
  waits_for: z.string().nullable(),
  executed_by: z.enum(['server', 'other']).nullable(),
  actions: z.array(z.enum(runActions)),
  process: z
    .object({
      pid: z.number().int(),
      since: z.string(),
      host: z.string().nullable(),
      worker: z.string().nullable(),
    })
    .nullable(),
  requested: z.enum(['pause', 'cancel']).nullable(),
  git: z.object({ branch: z.string(), directory: z.string(), remote: z.string().nullable() }).nullable(),
  forked_from: z.object({ run_id: z.string(), seq: z.number().int() }).nullable(),
  simulated: z.boolean(),
  simulated_stages: z.array(z.string()),
  scripted_nodes: z.array(z.string()),
  start_time: z.string(),
  end_time: z.string().nullable(),
  duration_ms: z.number(),
  paused_reason: z.string().nullable(),
  failure_reason: z.string().nullable(),
  failed_node: z.string().nullable(),
  stages: z.array(stageUnderWaySchema),
  parallels: z.array(parallelSchema),
  questions: z.array(questionSchema),
  last_stage: z.string().nullable(),
  stages_done: z.number().int(),
  retries: z.number().int(),
  restarts: z.number().int(),
  failures: z.array(failureSchema),
  quality: z.enum(['clean', 'degraded', 'failed']),
  child_runs: z.array(childRunSchema),
  usage: usageSchema,
  usage_by_stage: z.record(z.string(), usageSchema),
  unpriced_models: z.array(z.string()),
  budgets: z.array(budgetSchema),
  seq: z.number().int(),
  last_event_time: z.string().nullable(),
  stage_directory: z.string(),
} satisfies Readonly<Record<keyof RunDetail, z.ZodType>>);

/** `GET /pipelines/{id}` as the description of the API has it; `RunDetail` is what programs in here go by (§9.5). */
export const runDetailSchema = documentedDetail.meta({ id: 'RunDetail' });
