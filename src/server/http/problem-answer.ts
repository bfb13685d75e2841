import type { Context } from 'hono';
import { RenderError } from '../../render/render-error.js';
import { RunError, type RunErrorCode } from '../../run-directory/run-error.js';
import { UsageError } from '../../setup/usage-error.js';
import type { Log } from '../../telemetry/log.js';
import { ThreadsBusyError } from '../../threads/thread-pool.js';
import type { Problem, ProblemCode } from '../api/problem.js';
import { ProblemError, problemStatus } from '../problem-error.js';
import { jsonAnswer } from './answers.js';

/**
 * Answer for an error (SEMANTICS 73): a problem that a client can solve is described to it, a bug of our
 * own is logged.
 */
export function problemAnswer(context: Context, error: unknown, log: Log): Response {
  const problem = problemOf(error, log);
  const { code, retryAfter } = problem;
  const headers: Readonly<Record<string, string>> =
    retryAfter === undefined ? {} : { 'retry-after': String(Math.ceil(retryAfter)) };
  return jsonAnswer(context, problemBody(problem), problemStatus[code], {
    'cache-control': 'no-store',
    ...headers,
  });
}

/** Problem for a stream, whose answer has begun already. */
export function problemText(error: unknown, log: Log): Problem {
  return problemBody(problemOf(error, log));
}

type ProblemFields = Pick<ProblemError, 'code' | 'message' | 'diagnostics' | 'findings' | 'retryAfter'>;

function problemOf(error: unknown, log: Log): ProblemFields {
  const problem = asProblem(error);
  if (problem !== undefined) return problem;
  log.write('error', 'a request hit a bug in the server', {
    error: error instanceof Error ? (error.stack ?? error.message) : String(error),
  });
  return new ProblemError('internal', 'this is a bug in the server; see its log');
}

function problemBody({ code, message, diagnostics, findings }: ProblemFields): Problem {
  return {
    error: { code, message },
    diagnostics: diagnostics && [...diagnostics],
    findings: findings?.map((finding) => ({ ...finding, stages: [...finding.stages] })),
  };
}

const codeOfRunError = {
  usage: 'bad_request',
  run_not_found: 'not_found',
  run_exists: 'conflict',
  run_locked: 'conflict',
  // The client can do nothing about it but know it.
  run_damaged: 'conflict',
  unusable_directory: 'storage',
  storage: 'storage',
} as const satisfies Readonly<Record<RunErrorCode, ProblemCode>>;

/** Drawings and texts that wait have their turn, or are given up, in about this time. */
const busySeconds = 30;

function asProblem(error: unknown): ProblemError | undefined {
  if (error instanceof ProblemError) return error;
  if (error instanceof UsageError) return new ProblemError('bad_request', error.message);
  if (error instanceof ThreadsBusyError)
    return new ProblemError('too_many_requests', error.message, { retryAfter: busySeconds });
  if (error instanceof RenderError) return new ProblemError('bad_request', error.message);
  if (error instanceof RunError) return new ProblemError(codeOfRunError[error.code], error.message);
  return undefined;
}
