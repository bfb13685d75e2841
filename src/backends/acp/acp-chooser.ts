import { agentChooser, type ChosenAgent } from '../agent-chooser.js';
import type { AgentSettings } from '../settings.js';
import type { AcpAgent, PermissionPolicy } from './acp-agent.js';
import { acpAgents } from './agents.js';

/** Agent that is ready to be started. */
export type ChosenAcpAgent = ChosenAgent<AcpAgent> & AcpStart;

interface AcpStart {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly permissions: PermissionPolicy;
}

/** The agents that speak the Agent Client Protocol (§8.5). */
export const acpChooser = agentChooser<AcpAgent, AcpStart>({
  protocol: 'acp',
  isDefault: false,
  known: acpAgents,
  otherwise: 'an agent with a command line',
  agentOf(name, { command }, known) {
    const agent = known ?? ownAgent(name);
    if (command === undefined) return agent;
    const [program = '', ...args] = command;
    return { ...agent, program, args };
  },
  programOf: ({ program }) => program,
  way: 'over the Agent Client Protocol',
  usageTime: () => 'end_of_turn',
  more: ({ args }, { env = {}, permissions = 'allow' }: AgentSettings) => ({ args, env, permissions }),
});

function ownAgent(name: string): AcpAgent {
  return {
    name,
    aliases: [],
    title: name,
    program: '',
    args: [],
    install: `install it, or correct \`command\` of the agent "${name}" in the configuration`,
    signIn: 'sign in with the program itself',
  };
}
