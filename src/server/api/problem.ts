import { z } from 'zod';

/** Kind of problem, in a word for programs. */
export const problemCodes = [
  'bad_request',
  'invalid_pipeline',
  'not_allowed',
  'unauthorized',
  'forbidden_host',
  'forbidden_origin',
  'not_found',
  'method_not_allowed',
  'conflict',
  'too_large',
  'unsupported_media_type',
  'too_many_requests',
  'too_slow',
  'storage',
  'unavailable',
  'internal',
] as const;

export type ProblemCode = (typeof problemCodes)[number];

/** A finding as `lint --format json` prints it (DESIGN §5). */
export const diagnosticSchema = z
  .object({
    rule: z.string(),
    severity: z.enum(['error', 'warning', 'info']),
    message: z.string(),
    file: z.string(),
    line: z.number().int(),
    column: z.number().int(),
    end_line: z.number().int(),
    end_column: z.number().int(),
    node_id: z.string().optional(),
    edge: z.tuple([z.string(), z.string()]).optional(),
  })
  .loose()
  .meta({ id: 'Diagnostic' });

/** A finding of the preflight, as `attractor doctor --json` prints it (SEMANTICS 121). */
const findingSchema = z
  .object({
    /** Id of the check. */
    check: z.string(),
    severity: z.enum(['error', 'warning', 'info']),
    /** Stages concerned: ids, `<node>/<node of the child>`. */
    stages: z.array(z.string()),
    message: z.string(),
    /** Remedy. */
    help: z.string().optional(),
  })
  .meta({ id: 'Finding' });

/** The body of every answer that is not what was asked for (SEMANTICS 73). */
export const problemSchema = z
  .object({
    error: z.object({
      code: z.enum(problemCodes),
      /** Sentence for people: the problem, the expectation, and the remedy. */
      message: z.string(),
    }),
    /** Diagnostics of a pipeline that cannot be run as it is. */
    diagnostics: z.array(diagnosticSchema).optional(),
    /** Everything else that was found before the run would have begun; an error keeps it from starting. */
    findings: z.array(findingSchema).optional(),
  })
  .meta({ id: 'Problem' });

export type Problem = z.infer<typeof problemSchema>;
export type DiagnosticJson = z.infer<typeof diagnosticSchema>;
