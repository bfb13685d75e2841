import type { Finding } from '../setup/preflight/finding.js';
import type { DiagnosticJson, ProblemCode } from './api/problem.js';

/** The status of each problem (SEMANTICS 73). */
export const problemStatus = {
  bad_request: 400,
  invalid_pipeline: 400,
  unauthorized: 401,
  not_allowed: 403,
  forbidden_host: 403,
  forbidden_origin: 403,
  not_found: 404,
  method_not_allowed: 405,
  too_slow: 408,
  conflict: 409,
  too_large: 413,
  unsupported_media_type: 415,
  too_many_requests: 429,
  internal: 500,
  unavailable: 503,
  storage: 507,
} as const satisfies Readonly<Record<ProblemCode, number>>;

/** Problem of a request, with the reason, for its client. */
export class ProblemError extends Error {
  readonly code: ProblemCode;
  /** Diagnostics of a pipeline that cannot be run. */
  readonly diagnostics: readonly DiagnosticJson[] | undefined;
  /** Findings of the preflight, for a run that cannot start. */
  readonly findings: readonly Finding[] | undefined;
  /** Seconds after which it may be tried again. */
  readonly retryAfter: number | undefined;

  constructor(
    code: ProblemCode,
    message: string,
    details: {
      readonly diagnostics?: ProblemError['diagnostics'];
      readonly findings?: ProblemError['findings'];
      readonly retryAfter?: number;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, { cause: details.cause });
    this.name = 'ProblemError';
    this.code = code;
    this.diagnostics = details.diagnostics;
    this.findings = details.findings;
    this.retryAfter = details.retryAfter;
  }
}
