import type { Problem } from '../../server/api/problem.js';

/** Reason why a request failed. */
export type Failure =
  /** No answer came: it is not running, or the network is down. */
  | { readonly kind: 'lost' }
  | { readonly kind: 'refused'; readonly status: number; readonly problem: Problem }
  /** Something answered, but not as this server does: a proxy, or another program on its port. */
  | { readonly kind: 'strange'; readonly status: number };

/** Thrown by every request to the API that fails. */
export class ApiError extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failureMessage(failure));
    this.name = 'ApiError';
    this.failure = failure;
  }
}

/** The failure in a sentence or two, with what to do about it. */
export function failureMessage(failure: Failure): string {
  switch (failure.kind) {
    case 'lost':
      return 'The server does not answer. See whether “attractor serve” still runs; the page continues by itself when it is back.';
    case 'refused':
      return sentence(failure.problem.error.message);
    case 'strange':
      return `Something answered with status ${failure.status}, but not as attractor does. Is another program or a proxy at this address?`;
  }
}

/** Failure of a thrown error. A bug of the page itself is rethrown. */
export function failureOf(error: unknown): Failure {
  if (error instanceof ApiError) return error.failure;
  throw error;
}

/** Messages of the server begin in lower case, as those of the command line do. */
export function sentence(text: string): string {
  const first = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?…:]$/.test(first) ? first : `${first}.`;
}
