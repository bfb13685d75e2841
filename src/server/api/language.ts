import { z } from 'zod';
import { diagnosticSchema } from './problem.js';

/** `POST /lint`: what `lint --format json` prints (DESIGN §5). */
export const lintResultSchema = z
  .object({
    diagnostics: z.array(diagnosticSchema),
    summary: z.object({ errors: z.number().int(), warnings: z.number().int(), infos: z.number().int() }),
  })
  .meta({ id: 'LintResult' });

/** `POST /check`: the verdicts of `check --format json`. */
export const checkResultSchema = z
  .object({
    properties: z.array(
      z.object({
        name: z.string(),
        /** Sentence of the property. */
        property: z.string(),
        /** Place where it is written: the text, the request, or the configuration of the server. */
        origin: z.enum(['pipeline', 'file', 'configuration']),
        verdict: z.enum(['holds', 'broken', 'undecided']),
        /** States of the search. */
        states: z.number().int(),
        /** Reasons why it is not decided. */
        reasons: z.array(z.string()).optional(),
        /** Reason with which the run ends that breaks it. */
        reason: z.string().optional(),
        /** Visited nodes of that run, all branches together. */
        path: z.array(z.string()).optional(),
        /** Script for `run --simulate --script` that plays that run. */
        script: z
          .object({
            /** Inputs that the run requires, or depends on. */
            inputs: z.record(z.string(), z.unknown()).optional(),
            nodes: z.record(z.string(), z.array(z.record(z.string(), z.unknown()))),
          })
          .optional(),
        /** Reason with which the script ends before, because the run breaks another property first. */
        ends_before: z.string().optional(),
      }),
    ),
  })
  .meta({ id: 'CheckResult' });

export type CheckResult = z.infer<typeof checkResultSchema>;

/** Format and theme of a drawing; `json` only of the pipeline of a run: a `GraphStructure`. */
export const pictureQuerySchema = z.object({
  format: z.enum(['svg', 'dot', 'mermaid', 'json']).optional(),
  theme: z.enum(['auto', 'light', 'dark']).optional(),
  /** `left_out`: the pipeline alone, coloured by handler types, for who colours it by events. */
  run: z.enum(['drawn', 'left_out']).optional(),
});

/** `GET /capabilities`: the permissions and limits of this server, for clients that submit (policy). */
export const capabilitiesSchema = z
  .object({
    version: z.string(),
    /** Posted pipelines may run commands. */
    allow_tools: z.boolean(),
    /** Names that a submission may use as its backend. */
    backends: z.array(z.string()),
    max_running: z.number().int(),
    /** True if workers of a cluster execute the runs: `GET /workers` lists them. */
    has_workers: z.boolean(),
    /** True if a stage that names no model can run; else it is refused, unless the run is simulated. */
    has_model: z.boolean(),
  })
  .meta({ id: 'Capabilities' });

export type Capabilities = z.infer<typeof capabilitiesSchema>;
