import { foundText } from '../graph/values/found-text.js';
import type { Outcome } from '../machine/outcome.js';
import type { BackendReply } from './codergen-backend.js';

/**
 * Checks the answer of a backend for a caller that needs its text (§4.5): it may come from code that no
 * compiler has seen.
 * @throws Error for anything but a text or an outcome
 */
export function backendAnswer(result: unknown): string | Outcome {
  if (typeof result === 'string') return result;
  if (isReply(result)) return result.outcome ?? result.response;
  if (typeof result === 'object' && result !== null && !Array.isArray(result)) return result as Outcome;
  throw new Error(`the backend returned ${foundText(result)}; expected a string or an outcome`);
}

/**
 * True for a reply. An outcome has a status; an object with both, from code that no compiler has seen,
 * counts as an outcome.
 */
export function isReply(result: unknown): result is BackendReply {
  if (typeof result !== 'object' || result === null || 'status' in result) return false;
  return typeof (result as Partial<BackendReply>).response === 'string';
}

/** True if no model was called (SEMANTICS 120). */
export function isSimulated(result: unknown): boolean {
  return isReply(result) && result.simulated === true;
}
