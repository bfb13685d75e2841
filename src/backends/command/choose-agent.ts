import { didYouMean } from '../../diagnostic/did-you-mean.js';
import { RunError } from '../../engine/runtime/run-error.js';
import type { ModelChoice } from '../../graph/model-choice.js';
import type { BackendEnvironment } from '../backend.js';
import { findProgram } from '../find-program.js';
import type { AgentSettings, BackendSettings } from '../settings.js';
import { commandAgents } from './agents.js';
import type { CommandAgent, PromptWay } from './command-agent.js';
import { asksFor, unknownPlaceholder } from './command-template.js';
import { outputFormats } from './formats/index.js';
import { plainText } from './formats/plain-text.js';

/** An agent as it is to be called. */
export interface ChosenAgent {
  readonly agent: CommandAgent;
  /** A path. */
  readonly program: string;
  /** Milliseconds without a word from it after which it is given up, and which it may take at all. */
  readonly idleTimeout: number;
  readonly wallTimeout: number | undefined;
}

/** An agent, or why there is none. */
export type AgentChoice =
  | { readonly kind: 'agent'; readonly chosen: ChosenAgent }
  /** No agent with a command line is meant. */
  | { readonly kind: 'unknown'; readonly problem: string }
  | { readonly kind: 'missing'; readonly problem: string };

const defaultIdleTimeout = 10 * 60 * 1000;

/** The agent that a stage names as its provider (§8.5): one of the configuration, or one that is known. */
export function agentNamed(name: string, environment: BackendEnvironment): AgentChoice {
  const known = commandAgents.find((agent) => agent.name === name || agent.aliases.includes(name));
  const settings = settingsFor(known, name, environment.settings);
  if (settings?.protocol === 'acp') return unknown(`"${name}" is an agent of the Agent Client Protocol`);
  if (known === undefined && settings === undefined) {
    const names = agentNames(environment.settings);
    return unknown(`there is no agent "${name}"${didYouMean(name, names)}; there are ${names.join(', ')}`);
  }
  const agent = settings === undefined ? known : agentOf(name, settings, known);
  return agent === undefined ? unknown(`there is no agent "${name}"`) : located(agent, settings, environment);
}

/** The agent for a stage that is to be done by one: the one it names, else the one that works with its models. */
export function agentFor({ provider, model }: ModelChoice, environment: BackendEnvironment): AgentChoice {
  if (provider !== undefined) {
    const named = agentNamed(provider, environment);
    const ofProvider = commandAgents.find((agent) => agent.provider === provider);
    return named.kind !== 'unknown' || ofProvider === undefined
      ? named
      : agentNamed(ofProvider.name, environment);
  }
  const ofModel = commandAgents.find(({ models }) => model !== undefined && models?.test(model));
  if (ofModel !== undefined) return agentNamed(ofModel.name, environment);
  const names = agentNames(environment.settings);
  const installed = names
    .map((name) => agentNamed(name, environment))
    .find((choice) => choice.kind === 'agent');
  return (
    installed ?? {
      kind: 'missing',
      problem: `no coding agent is installed; there are ${names.join(', ')}`,
    }
  );
}

/** @throws RunError `usage` for an agent of the configuration that cannot be called as it is written there */
export function checkAgentSettings({ agents }: BackendSettings): void {
  for (const [name, settings] of agents) {
    if (settings.protocol === 'acp') continue;
    const known = commandAgents.find((agent) => agent.name === name || agent.aliases.includes(name));
    agentOf(name, settings, known);
  }
}

/** Those of the configuration first: whoever writes one means it. */
function agentNames({ agents }: Pick<BackendSettings, 'agents'>): readonly string[] {
  const own = [...agents].filter(([, { protocol }]) => protocol !== 'acp').map(([name]) => name);
  return [...new Set([...own, ...commandAgents.map(({ name }) => name)])];
}

/** Under its own name, under that by which it was asked for, or under another one of its names. */
function settingsFor(
  known: CommandAgent | undefined,
  name: string,
  { agents }: BackendSettings,
): AgentSettings | undefined {
  const names = [name, ...(known === undefined ? [] : [known.name, ...known.aliases])];
  return names.map((one) => agents.get(one)).find((settings) => settings !== undefined);
}

/** What the configuration says, over what is known of an agent of that name. */
function agentOf(name: string, settings: AgentSettings, known: CommandAgent | undefined): CommandAgent {
  const command = settings.command ?? known?.command;
  if (command === undefined) throw wrong(name, 'it needs a `command`: the program and its arguments');
  const resume = settings.resume ?? (settings.command === undefined ? known?.resume : undefined);
  for (const line of [command, resume ?? []]) {
    const problem = unknownPlaceholder(line);
    if (problem !== undefined) throw wrong(name, problem);
  }
  if (asksFor(command, 'session'))
    throw wrong(name, 'a `command` begins a conversation: {session} belongs into `resume`');
  if (resume !== undefined && !asksFor(resume, 'session'))
    throw wrong(name, '`resume` needs {session}, to say which conversation goes on');
  return {
    ...(known ?? ownAgent(name)),
    command,
    resume,
    prompt: promptWay(name, command, settings.prompt ?? (settings.command ? undefined : known?.prompt)),
    output: formatOf(name, settings, known),
    env: { ...known?.env, ...settings.env },
  };
}

function ownAgent(name: string) {
  return {
    name,
    aliases: [],
    title: `The agent "${name}"`,
    install: `install it, or correct the \`command\` of the agent "${name}" in the configuration`,
  };
}

function promptWay(name: string, command: readonly string[], said: PromptWay | undefined): PromptWay {
  const way = said ?? wayOf(command);
  if (way === 'file' && !asksFor(command, 'prompt_file')) {
    throw wrong(name, 'its prompt is to be a file, so that its `command` needs {prompt_file}');
  }
  return way;
}

function wayOf(command: readonly string[]): PromptWay {
  if (asksFor(command, 'prompt_file')) return 'file';
  return asksFor(command, 'prompt') ? 'argument' : 'stdin';
}

function formatOf(name: string, { output }: AgentSettings, known: CommandAgent | undefined) {
  if (output === undefined) return known?.output ?? plainText;
  const format = outputFormats.find((one) => one.name === output);
  if (format !== undefined) return format;
  const names = outputFormats.map((one) => one.name);
  throw wrong(
    name,
    `there is no format "${output}"${didYouMean(output, names)}; there are ${names.join(', ')}`,
  );
}

function wrong(name: string, problem: string): RunError {
  return new RunError('usage', `the agent "${name}" of the configuration cannot be called: ${problem}`);
}

function located(
  agent: CommandAgent,
  settings: AgentSettings | undefined,
  { workingDirectory, variables }: BackendEnvironment,
): AgentChoice {
  const [name = ''] = agent.command;
  const program = findProgram(name, workingDirectory, variables.PATH);
  if (program === undefined) {
    return {
      kind: 'missing',
      problem: `${agent.title} is not installed: there is no program "${name}"; ${agent.install}`,
    };
  }
  const { idle_timeout: idle, wall_timeout: wall } = settings ?? {};
  const chosen: ChosenAgent = {
    agent,
    program,
    idleTimeout: idle === undefined ? defaultIdleTimeout : idle * 1000,
    wallTimeout: wall === undefined ? undefined : wall * 1000,
  };
  return { kind: 'agent', chosen };
}

function unknown(problem: string): AgentChoice {
  return { kind: 'unknown', problem };
}
