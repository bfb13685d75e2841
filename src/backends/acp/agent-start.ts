import type { BackendCall } from '../../handlers/codergen-backend.js';
import type { AgentWishes, Variables } from './acp-agent.js';
import type { ChosenAcpAgent } from './acp-chooser.js';

/** Arguments and environment with which the program of an agent is started. */
export interface AgentStart {
  readonly args: readonly string[];
  readonly environment: Variables;
}

/**
 * Start of an agent for a stage: choices of the stage override the configuration, which overrides variables
 * that programs of the stage inherit.
 * @param variables environment of this process, with the keys of a key file
 */
export function startOfAgent(chosen: ChosenAcpAgent, call: BackendCall, variables: Variables): AgentStart {
  const { agent, env } = chosen;
  const wishes = wishesOf(chosen, call);
  const inherited = { ...variables, ...call.environment() };
  const wished = agent.wishVariables?.(wishes, env, inherited);
  return {
    args: [...chosen.args, ...(agent.wishArgs?.(wishes) ?? [])],
    environment: { ...agent.defaultEnv, ...inherited, ...env, ...wished },
  };
}

function wishesOf(
  { permissions }: ChosenAcpAgent,
  { model: choice, stageDirectory }: BackendCall,
): AgentWishes {
  const { model, reasoningEffort: effort } = choice;
  return { model, effort, permissions, stageDirectory };
}
