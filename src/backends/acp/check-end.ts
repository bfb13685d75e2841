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
      throw new AgentError(`${title} says that its turn was cancelled, which nobody has asked for`, {
        retryable: true,
      });
    default:
      throw new AgentError(
        `${title} ended its turn for a reason that is not known: ${stopReason ?? 'none given'}`,
        {
          retryable: false,
        },
      );
  }
}
