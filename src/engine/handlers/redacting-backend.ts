import type { Redactor } from '../../secrets/redactor.js';
import type { CodergenBackend } from './codergen-backend.js';

/** A backend whose answers have no secrets, before anything is made of them or cut (DESIGN §4). */
export function redactingBackend(backend: CodergenBackend, redactor: Redactor): CodergenBackend {
  return {
    async run(node, prompt, context, call) {
      const answer: unknown = await backend.run(node, redactor.text(prompt), context, call);
      return redactedAnswer(answer, redactor) as Awaited<ReturnType<CodergenBackend['run']>>;
    },
  };
}

/** What is no answer at all is left to whoever reads it. */
function redactedAnswer(answer: unknown, redactor: Redactor): unknown {
  if (typeof answer === 'string') return redactor.text(answer);
  if (typeof answer !== 'object' || answer === null || !('response' in answer)) return answer;
  const { response } = answer;
  return typeof response === 'string' ? { ...answer, response: redactor.text(response) } : answer;
}
