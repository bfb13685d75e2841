import { AgentError } from './agent-error.js';

/** @throws AgentError unless the agent has finished what it was asked for */
export function checkEnd(stopReason: string | undefined, title: string): void {
  switch (stopReason) {
    case 'end_turn':
      return;
    case 'max_tokens':
      throw new AgentError(`the answer of ${title} was cut off: it reached its limit of tokens`, {
        retryable: true,
      });
    case 'max_turn_requests':
      throw new AgentError(`${title} was cut off: it reached its limit of requests in one turn`, {
        retryable: true,
      });
    case 'refusal':
      throw new AgentError(`${title} refuses to continue with this prompt`, { retryable: false });
    case 'cancelled':
      throw new AgentError(`${title} reports that its turn was cancelled, although nobody cancelled it`, {
        retryable: true,
      });
    default:
      throw new AgentError(`${title} ended its turn for an unknown reason: ${stopReason ?? 'none given'}`, {
        retryable: false,
      });
  }
}
