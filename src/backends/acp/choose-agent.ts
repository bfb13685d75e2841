import { didYouMean } from '../../diagnostic/did-you-mean.js';
import type { ModelChoice } from '../../graph/model-choice.js';
import { findProgram } from '../find-program.js';
import type { AgentSettings, BackendSettings } from '../settings.js';
import type { AcpAgent, PermissionPolicy } from './acp-agent.js';
import { acpAgents } from './agents.js';

/** An agent as it is to be started. */
export interface ChosenAgent {
  readonly agent: AcpAgent;
  /** A path. */
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly permissions: PermissionPolicy;
  /** Milliseconds without a word from it after which it is given up. */
  readonly idleTimeout: number;
  /** Milliseconds that it may take in all; by default only the time of the stage itself counts. */
  readonly wallTimeout: number | undefined;
}

/** An agent, or why there is none. */
export type AgentChoice =
  | { readonly kind: 'agent'; readonly chosen: ChosenAgent }
  /** No agent is meant. */
  | { readonly kind: 'unknown'; readonly problem: string }
  | { readonly kind: 'missing'; readonly problem: string };

/** Where programs are looked for. */
export interface Surroundings {
  readonly settings: Pick<BackendSettings, 'agents'>;
  readonly directory: string;
  readonly searchPath: string | undefined;
}

const defaultIdleTimeout = 10 * 60 * 1000;

/** The agent that a stage names as its provider (§8.5), one of ours or of the configuration. */
export function agentNamed(name: string, surroundings: Surroundings): AgentChoice {
  const known = acpAgents.find((agent) => agent.name === name || agent.aliases.includes(name));
  const settings = settingsFor(known, name, surroundings);
  if (settings?.protocol === 'command') return unknown(`"${name}" is an agent with a command line`);
  if (known !== undefined) return located(known, settings, surroundings);
  if (settings?.protocol !== 'acp') {
    const names = agentNames(surroundings);
    return unknown(`there is no agent "${name}"${didYouMean(name, names)}; there are ${names.join(', ')}`);
  }
  return located(ownAgent(name, settings), settings, surroundings);
}

/** The agent for a stage that must be done by one: the one it names, else the one that works with its models. */
export function agentFor(model: ModelChoice, surroundings: Surroundings): AgentChoice {
  const { provider } = model;
  if (provider !== undefined) {
    const named = agentNamed(provider, surroundings);
    if (named.kind !== 'unknown') return named;
    const ofProvider = acpAgents.find((agent) => agent.provider === provider);
    return ofProvider === undefined ? named : agentNamed(ofProvider.name, surroundings);
  }
  const ofModel = acpAgents.find((agent) => model.model !== undefined && agent.models?.test(model.model));
  if (ofModel !== undefined) return agentNamed(ofModel.name, surroundings);
  const installed = agentNames(surroundings)
    .map((name) => agentNamed(name, surroundings))
    .find((choice) => choice.kind === 'agent');
  return (
    installed ?? missing(`no coding agent is installed; there are ${agentNames(surroundings).join(', ')}`)
  );
}

function agentNames({ settings }: Surroundings): readonly string[] {
  const own = [...settings.agents].filter(([, agent]) => agent.protocol === 'acp').map(([name]) => name);
  return [...new Set([...own, ...acpAgents.map(({ name }) => name)])];
}

/** Under its own name, under that by which it was asked for, or under another one of its names. */
function settingsFor(
  agent: AcpAgent | undefined,
  name: string,
  { settings: { agents } }: Surroundings,
): AgentSettings | undefined {
  const names = [name, ...(agent === undefined ? [] : [agent.name, ...agent.aliases])];
  return names.map((one) => agents.get(one)).find((settings) => settings !== undefined);
}

function ownAgent(name: string, { command = [] }: AgentSettings): AcpAgent {
  return {
    name,
    aliases: [],
    title: name,
    program: command[0] ?? '',
    args: command.slice(1),
    install: `install it, or correct \`command\` of the agent "${name}" in the configuration`,
    signIn: 'sign in with the program itself',
  };
}

function located(
  agent: AcpAgent,
  settings: AgentSettings | undefined,
  { directory, searchPath }: Surroundings,
): AgentChoice {
  const [name, ...args] = settings?.command ?? [agent.program, ...agent.args];
  if (name === undefined || name === '') {
    return missing(`the agent "${agent.name}" needs a \`command\` in the configuration`);
  }
  const program = findProgram(name, directory, searchPath);
  if (program === undefined) {
    const hint =
      settings?.command === undefined ? agent.install : 'correct its `command` in the configuration';
    return missing(`${agent.title} is not installed: there is no program "${name}"; ${hint}`);
  }
  const chosen: ChosenAgent = {
    agent,
    program,
    args,
    env: settings?.env ?? {},
    permissions: settings?.permissions ?? 'allow',
    idleTimeout: settings?.idle_timeout === undefined ? defaultIdleTimeout : settings.idle_timeout * 1000,
    wallTimeout: settings?.wall_timeout === undefined ? undefined : settings.wall_timeout * 1000,
  };
  return { kind: 'agent', chosen };
}

function unknown(problem: string): AgentChoice {
  return { kind: 'unknown', problem };
}

function missing(problem: string): AgentChoice {
  return { kind: 'missing', problem };
}
