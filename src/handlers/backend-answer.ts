import type { Outcome } from '../machine/outcome.js';
import type { BackendReply } from './codergen-backend.js';
import { foundText } from './found-text.js';

/**
 * Checks what a backend answered to whoever needs a text of it (§4.5): it may come from code that no compiler has seen.
 * @throws Error for what is neither a text nor an outcome
 */
export function backendAnswer(result: unknown): string | Outcome {
  if (typeof result === 'string') return result;
  if (isReply(result)) return result.outcome ?? result.response;
  if (typeof result === 'object' && result !== null && !Array.isArray(result)) return result as Outcome;
  throw new Error(`the backend returned ${foundText(result)}; expected a text or an outcome`);
}

/** An outcome has a status; code that no compiler has seen may bring both, and then the outcome is what counts. */
export function isReply(result: unknown): result is BackendReply {
  if (typeof result !== 'object' || result === null || 'status' in result) return false;
  return typeof (result as Partial<BackendReply>).response === 'string';
}

/** Whether no model was called (SEMANTICS 120). */
export function isSimulated(result: unknown): boolean {
  return isReply(result) && result.simulated === true;
}
