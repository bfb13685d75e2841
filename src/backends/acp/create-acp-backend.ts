import type { Node } from '../../graph/graph.js';
import type { BackendCall, BackendReply } from '../../handlers/codergen-backend.js';
import { failure, type Outcome } from '../../machine/outcome.js';
import { isInteractive } from '../ask-person.js';
import type { BackendEnvironment, ClosableBackend } from '../backend.js';
import { GatewayServer } from '../gateway/gateway-server.js';
import { openStageGateway } from '../gateway/open-stage-gateway.js';
import { interruptedSession } from '../interrupted-session.js';
import { discardStatusFile, readStageVerdict, type VerdictSource } from '../stage-verdict.js';
import { owedLabel } from '../verdict.js';
import { AskRegister } from '../verdict-server/ask-register.js';
import { startVerdictChannel, type VerdictChannel } from '../verdict-server/start-verdict-channel.js';
import { acpChooser, type ChosenAcpAgent } from './acp-chooser.js';
import type { Protocol } from './agent-connection.js';
import { AgentError } from './agent-error.js';
import { startOfAgent } from './agent-start.js';
import { AgentTurn } from './agent-turn.js';
import { SessionBegins } from './session-begins.js';
import { sessionOwner } from './stored-session.js';

/** Backend that starts a process, a session and a verdict channel for each call (§4.5). */
export async function createAcpBackend(environment: BackendEnvironment): Promise<ClosableBackend> {
  const tools: AcpTools = {
    environment,
    gateways: new GatewayServer(),
    begins: new SessionBegins(Date.now()),
    protocol: await import('@agentclientprotocol/sdk'),
  };
  return {
    readsFiles: () => true,
    async run(node, prompt, _context, call) {
      const choice = acpChooser.agentFor(call.model, environment);
      if (choice.kind !== 'agent') throw new AgentError(choice.problem, { retryable: false });
      call.checkBudget();
      return runStage({ node, prompt, call, chosen: choice.chosen }, tools);
    },
  };
}

interface AcpTools {
  readonly environment: BackendEnvironment;
  readonly gateways: GatewayServer;
  readonly begins: SessionBegins;
  readonly protocol: Protocol;
}

interface AcpStage {
  readonly node: Node;
  readonly prompt: string;
  readonly call: BackendCall;
  readonly chosen: ChosenAcpAgent;
}

async function runStage(
  { node, prompt, call: stageCall, chosen }: AcpStage,
  { environment: { settings, variables }, gateways: server, begins, protocol }: AcpTools,
): Promise<BackendReply> {
  const { agent, gateway, program } = chosen;
  const { args, environment } = startOfAgent(chosen, stageCall, variables);
  const { workingDirectory: directory, stageDirectory } = stageCall;
  const place = { environment, protocol: 'acp', program, directory, stageDirectory } as const;
  const order = { server, gateway, title: agent.title, place, call: stageCall, settings };
  const metered = await openStageGateway(order);
  const call = metered?.call ?? stageCall;
  let channel: VerdictChannel | undefined;
  try {
    const people = isInteractive(node) ? new AskRegister(call.ask) : undefined;
    channel = call.routes || people ? await startVerdictChannel(call.routes, people) : undefined;
    const wired = metered?.wire(environment) ?? { environment, args: [] };
    const start = { environment: wired.environment, args: [...args, ...wired.args] };
    const interrupted = interruptedSession(call, sessionOwner(chosen));
    const turn = new AgentTurn({
      protocol,
      chosen,
      prompt,
      call: { ...call, session: interrupted ?? call.session },
      isInterrupted: interrupted !== undefined,
      channel,
      start,
      gateway: metered,
      begins,
    });
    const response = await turn.run();
    if (call.routes === undefined) return { response };
    const source = { routes: call.routes, stageDirectory, channel };
    return { response, outcome: outcomeOf(source, agent.title, turn.reminders) };
  } finally {
    await metered?.close();
    await channel?.close();
  }
}

/**
 * Outcome by the verdict: one that was never corrected is a failure, whatever the agent answered, and so is a missing one where
 * the way depends on it (Appendix C, SEMANTICS 128).
 */
function outcomeOf(source: VerdictSource, title: string, reminders: number): Outcome | undefined {
  const verdict = readStageVerdict(source);
  switch (verdict?.kind) {
    case undefined: {
      const owed = owedLabel(source.routes, title, reminders);
      return owed === undefined ? undefined : failure(owed, { retryable: true });
    }
    case 'outcome':
      return verdict.outcome;
    case 'invalid':
      // The stage names the missing keys when it fails.
      if (verdict.outcome !== undefined) return verdict.outcome;
      // It would count before the outcome.
      discardStatusFile(source);
      return failure(`the agent gave an invalid verdict: ${verdict.problem}`, {
        retryable: true,
        failure_category: 'retryable',
      });
  }
}
