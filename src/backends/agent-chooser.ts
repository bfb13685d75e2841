import { didYouMean } from '../diagnostic/did-you-mean.js';
import type { ModelChoice } from '../graph/model-choice.js';
import type { Acceptance, BackendEnvironment } from './backend.js';
import { findProgram } from './find-program.js';
import type { AgentGateway, GatewayPlan } from './gateway/agent-gateway.js';
import { gatewayOfAgent } from './gateway/gateway-of-agent.js';
import type { AgentSettings } from './settings.js';

/** Chooser among the agents of a backend, by the requests of stages (§8.5). */
export function agentChooser<Agent extends CodingAgent, More extends object>(
  kind: AgentKind<Agent, More>,
): AgentChooser<ChosenAgent<Agent> & More> {
  return {
    agentNamed: (name, place) => agentNamed(kind, name, place),
    agentFor: (model, place) => agentFor(kind, model, place),
    accepts({ provider }, place) {
      return provider === undefined ? undefined : acceptanceOf(agentNamed(kind, provider, place));
    },
    problemWith(model, place) {
      const choice = agentFor(kind, model, place);
      return choice.kind === 'agent' ? undefined : choice.problem;
    },
    providerOf(model, place) {
      const choice = agentFor(kind, model, place);
      return choice.kind === 'agent' ? choice.chosen.agent.name : undefined;
    },
    lateUsage(model, place) {
      const choice = agentFor(kind, model, place);
      return choice.kind === 'agent' ? describeLateUsage(kind, choice.chosen) : undefined;
    },
  };
}

export interface AgentChooser<Chosen> {
  /** Agent that a stage names as its provider: a configured or a known one. */
  agentNamed(name: string, place: AgentEnvironment): AgentChoice<Chosen>;
  /** Agent for a stage that must be done by one: the named one, else the one that works with its models. */
  agentFor(model: ModelChoice, place: AgentEnvironment): AgentChoice<Chosen>;
  /** Acceptance of a stage by the backend (`BackendDefinition`). */
  accepts(model: ModelChoice, place: AgentEnvironment): Acceptance | undefined;
  /** Reason why no agent could do a stage that must be done by one (`BackendDefinition`). */
  problemWith(model: ModelChoice, place: AgentEnvironment): string | undefined;
  /** Name of the agent that does such a stage (`BackendDefinition`). */
  providerOf(model: ModelChoice, place: AgentEnvironment): string | undefined;
  /** Reason why a budget could not stop such a stage before its turn ends (`BackendDefinition`). */
  lateUsage(model: ModelChoice, place: AgentEnvironment): string | undefined;
}

/**
 * Time at which an agent reports its usage: after each of its requests, at the end of its turn, or not at
 * all.
 */
export type UsageTime = 'each_request' | 'end_of_turn' | 'never';

/** Description of any coding agent, whatever protocol it has. */
export interface CodingAgent {
  /** Name in `llm_provider`. */
  readonly name: string;
  readonly aliases: readonly string[];
  /** Name for people. */
  readonly title: string;
  /** Advice if the program is not installed. */
  readonly install: string;
  /** Provider of its models; `models` matches their names. */
  readonly provider?: string;
  readonly models?: RegExp;
}

/** Differences between the agents of one backend and those of another. */
export interface AgentKind<Agent extends CodingAgent, More extends object> {
  readonly protocol: NonNullable<AgentSettings['protocol']>;
  /** True if a configured agent that names no protocol, and is not known, is of this kind. */
  readonly isDefault: boolean;
  readonly known: readonly Agent[];
  /** Description of an agent of the other protocol, for messages. */
  readonly otherwise: string;
  /**
   * Configured agent, based on the known one of that name.
   * @throws RunError `usage`
   */
  agentOf(name: string, settings: AgentSettings, known: Agent | undefined): Agent;
  programOf(agent: Agent): string;
  /** Way of calling it, for people: "over the Agent Client Protocol". */
  readonly way: string;
  usageTime(agent: Agent): UsageTime;
  /** Further values that are needed to start it. */
  more(agent: Agent, settings: AgentSettings): More;
}

/** Agent that is ready to be started. */
export interface ChosenAgent<Agent extends CodingAgent> {
  readonly agent: Agent;
  /** Path of the executable. */
  readonly program: string;
  /** Milliseconds of silence after which it is given up. */
  readonly idleTimeout: number;
  /** Milliseconds that it may take altogether; by default only the timeout of the stage counts. */
  readonly wallTimeout: number | undefined;
  /** Way of its requests through the gateway. */
  readonly gateway: AgentGateway;
  /** Plan for a stage, determined before it: their routes, or the reason why they stay direct. */
  readonly metering: GatewayPlan;
}

/** Agent, or the reason why there is none. */
export type AgentChoice<Chosen> =
  | { readonly kind: 'agent'; readonly chosen: Chosen }
  /** Names no agent of this kind. */
  | { readonly kind: 'unknown'; readonly problem: string }
  | { readonly kind: 'missing'; readonly problem: string };

/** Environment in which agents are named and their programs looked for. */
export interface AgentEnvironment extends Pick<BackendEnvironment, 'workingDirectory' | 'variables'> {
  readonly settings: Pick<BackendEnvironment['settings'], 'agents'>;
}

const defaultIdleTimeout = 10 * 60 * 1000;

function agentNamed<Agent extends CodingAgent, More extends object>(
  kind: AgentKind<Agent, More>,
  name: string,
  place: AgentEnvironment,
): AgentChoice<ChosenAgent<Agent> & More> {
  const known = findKnownAgent(kind, name);
  const settings = settingsFor(known, name, place);
  if (settings?.protocol !== undefined && settings.protocol !== kind.protocol)
    return unknown(`"${name}" is ${kind.otherwise}`);
  if (known === undefined && (settings === undefined || !isOfKind(kind, settings))) {
    const names = agentNames(kind, place);
    return unknown(`there is no agent "${name}"${didYouMean(name, names)}; there are ${names.join(', ')}`);
  }
  return located(kind, kind.agentOf(name, settings ?? {}, known), settings ?? {}, place);
}

function agentFor<Agent extends CodingAgent, More extends object>(
  kind: AgentKind<Agent, More>,
  { provider, model }: ModelChoice,
  place: AgentEnvironment,
): AgentChoice<ChosenAgent<Agent> & More> {
  if (provider !== undefined) {
    const named = agentNamed(kind, provider, place);
    const ofProvider = kind.known.find((agent) => agent.provider === provider);
    return named.kind !== 'unknown' || ofProvider === undefined
      ? named
      : agentNamed(kind, ofProvider.name, place);
  }
  const ofModel = kind.known.find(({ models }) => model !== undefined && models?.test(model));
  if (ofModel !== undefined) return agentNamed(kind, ofModel.name, place);
  const names = agentNames(kind, place);
  const installed = names.map((name) => agentNamed(kind, name, place)).find((one) => one.kind === 'agent');
  return installed ?? missing(`no coding agent is installed; there are ${names.join(', ')}`);
}

function describeLateUsage<Agent extends CodingAgent>(
  { way, usageTime }: Pick<AgentKind<Agent, object>, 'way' | 'usageTime'>,
  { agent, metering }: ChosenAgent<Agent>,
): string | undefined {
  if (metering.kind === 'metered') return undefined;
  const { why } = metering;
  switch (usageTime(agent)) {
    case 'each_request':
      return undefined;
    case 'end_of_turn':
      return `${agent.title} ${way} reports its usage only when its turn ends, and is not metered (${why})`;
    case 'never':
      return `${agent.title} ${way} does not report its usage, and is not metered (${why})`;
  }
}

function acceptanceOf(choice: AgentChoice<unknown>): Acceptance | undefined {
  switch (choice.kind) {
    case 'agent':
      return { kind: 'ready' };
    case 'missing':
      return { kind: 'lacks', problem: choice.problem };
    case 'unknown':
      return undefined;
  }
}

/** Known agent, by its name or an alias. */
export function findKnownAgent<Agent extends CodingAgent>(
  { known }: { readonly known: readonly Agent[] },
  name: string,
): Agent | undefined {
  return known.find((agent) => agent.name === name || agent.aliases.includes(name));
}

/** Settings under the name that was asked for, under the agent's own, or under an alias. */
function settingsFor(
  known: CodingAgent | undefined,
  name: string,
  { settings: { agents } }: AgentEnvironment,
): AgentSettings | undefined {
  const names = [name, ...(known === undefined ? [] : [known.name, ...known.aliases])];
  return names.map((one) => agents.get(one)).find((settings) => settings !== undefined);
}

function isOfKind(
  { protocol, isDefault }: Pick<AgentKind<CodingAgent, object>, 'protocol' | 'isDefault'>,
  settings: AgentSettings,
): boolean {
  return settings.protocol === undefined ? isDefault : settings.protocol === protocol;
}

/** Names of agents, the configured ones first, because their author wants them. */
function agentNames<Agent extends CodingAgent, More extends object>(
  kind: AgentKind<Agent, More>,
  { settings: { agents } }: AgentEnvironment,
): readonly string[] {
  const own = [...agents].filter(([, settings]) => isOfKind(kind, settings)).map(([name]) => name);
  return [...new Set([...own, ...kind.known.map(({ name }) => name)])];
}

function located<Agent extends CodingAgent, More extends object>(
  kind: AgentKind<Agent, More>,
  agent: Agent,
  settings: AgentSettings,
  { workingDirectory, variables }: AgentEnvironment,
): AgentChoice<ChosenAgent<Agent> & More> {
  const name = kind.programOf(agent);
  if (name === '') return missing(`the agent "${agent.name}" needs a \`command\` in the configuration`);
  const program = findProgram(name, workingDirectory, variables.PATH);
  if (program === undefined) {
    const hint =
      settings.command === undefined ? agent.install : 'correct its `command` in the configuration';
    return missing(`${agent.title} is not installed: there is no program "${name}"; ${hint}`);
  }
  const { idle_timeout: idle, wall_timeout: wall } = settings;
  const gateway = gatewayOfAgent(agent.name, settings.gateway);
  const place = {
    environment: { ...variables, ...settings.env },
    protocol: kind.protocol,
    program,
    directory: workingDirectory,
    stageDirectory: '',
  };
  const chosen: ChosenAgent<Agent> = {
    agent,
    program,
    gateway,
    metering: gateway.plan(place),
    idleTimeout: idle === undefined ? defaultIdleTimeout : idle * 1000,
    wallTimeout: wall === undefined ? undefined : wall * 1000,
  };
  return { kind: 'agent', chosen: { ...chosen, ...kind.more(agent, settings) } };
}

function unknown(problem: string): AgentChoice<never> {
  return { kind: 'unknown', problem };
}

function missing(problem: string): AgentChoice<never> {
  return { kind: 'missing', problem };
}
