import type { BackendReply } from '../../handlers/codergen-backend.js';
import { failure, type Outcome } from '../../machine/outcome.js';
import { isInteractive } from '../ask-person.js';
import type { BackendEnvironment, ClosableBackend } from '../backend.js';
import { interruptedSession } from '../interrupted-session.js';
import type { VerdictReading } from '../verdict.js';
import { AskRegister } from '../verdict-server/ask-register.js';
import { startVerdictChannel } from '../verdict-server/start-verdict-channel.js';
import { acpChooser } from './acp-chooser.js';
import { AgentError } from './agent-error.js';
import { AgentTurn } from './agent-turn.js';
import { SessionBegins } from './session-begins.js';
import { sessionOwner } from './stored-session.js';

/** Backend that starts a process, a session and a verdict channel for each call (§4.5). */
export async function createAcpBackend(environment: BackendEnvironment): Promise<ClosableBackend> {
  const { variables } = environment;
  const begins = new SessionBegins(Date.now());
  const protocol = await import('@agentclientprotocol/sdk');
  return {
    readsFiles: () => true,
    async run(node, prompt, _context, call) {
      const choice = acpChooser.agentFor(call.model, environment);
      if (choice.kind !== 'agent') throw new AgentError(choice.problem, { retryable: false });
      const { chosen } = choice;
      call.checkBudget();
      const people = isInteractive(node) ? new AskRegister(call.ask) : undefined;
      const channel = call.routes || people ? await startVerdictChannel(call.routes, people) : undefined;
      try {
        const interrupted = interruptedSession(call, sessionOwner(chosen));
        const turn = new AgentTurn({
          protocol,
          chosen,
          prompt,
          call: { ...call, session: interrupted ?? call.session },
          isInterrupted: interrupted !== undefined,
          channel,
          variables,
          begins,
        });
        return replyOf(await turn.run(), channel?.result());
      } finally {
        await channel?.close();
      }
    },
  };
}

/**
 * Reply with the verdict; one that was never corrected is a failure, whatever the agent answered (Appendix
 * C).
 */
function replyOf(response: string, verdict: VerdictReading | undefined): BackendReply {
  return { response, outcome: verdict && outcomeOf(verdict) };
}

function outcomeOf(verdict: VerdictReading): Outcome {
  switch (verdict.kind) {
    case 'outcome':
      return verdict.outcome;
    case 'invalid':
      // The stage names the missing keys when it fails.
      if (verdict.outcome !== undefined) return verdict.outcome;
      return failure(`the agent gave an invalid verdict: ${verdict.problem}`, {
        retryable: true,
        failure_category: 'retryable',
      });
  }
}
