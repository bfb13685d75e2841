import { didYouMean } from '../../diagnostic/did-you-mean.js';
import { RunError } from '../../run-directory/run-error.js';
import { agentChooser, type ChosenAgent, findKnownAgent } from '../agent-chooser.js';
import type { AgentSettings, BackendSettings } from '../settings.js';
import { commandAgents } from './agents.js';
import type { CommandAgent, PromptDelivery } from './command-agent.js';
import { asksFor, unknownPlaceholder } from './command-template.js';
import { outputFormats } from './formats/index.js';
import { plainText } from './formats/plain-text.js';

/** Agent that is ready to be called. */
export type ChosenCommandAgent = ChosenAgent<CommandAgent>;

/** Chooser among the agents that are called by a command line (§8.5). */
export const commandChooser = agentChooser<CommandAgent, object>({
  protocol: 'command',
  isDefault: true,
  known: commandAgents,
  otherwise: 'an agent of the Agent Client Protocol',
  agentOf,
  programOf: ({ command: [program = ''] }) => program,
  way: 'by its command line',
  usageTime: ({ output }) => output.usageTime,
  more: () => ({}),
});

/** @throws RunError `usage` for a configured agent that cannot be called as it is written */
export function checkAgentSettings({ agents }: BackendSettings): void {
  for (const [name, settings] of agents) {
    if (settings.protocol === 'acp') continue;
    agentOf(name, settings, findKnownAgent({ known: commandAgents }, name));
  }
}

/** Configured agent, based on the known one of that name. */
function agentOf(name: string, settings: AgentSettings, known: CommandAgent | undefined): CommandAgent {
  const command = settings.command ?? known?.command;
  if (command === undefined) throw wrong(name, 'it needs a `command`: the program and its arguments');
  const resume = settings.resume ?? (settings.command === undefined ? known?.resume : undefined);
  for (const line of [command, resume ?? []]) {
    const problem = unknownPlaceholder(line);
    if (problem !== undefined) throw wrong(name, problem);
  }
  if (asksFor(command, 'session'))
    throw wrong(name, '`command` starts a conversation: {session} belongs in `resume`');
  if (resume !== undefined && !asksFor(resume, 'session'))
    throw wrong(name, '`resume` needs {session}, which names the conversation to continue');
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

function promptWay(
  name: string,
  command: readonly string[],
  said: PromptDelivery | undefined,
): PromptDelivery {
  const way = said ?? wayOf(command);
  if (way === 'file' && !asksFor(command, 'prompt_file')) {
    throw wrong(name, 'with `prompt: file`, its `command` needs {prompt_file}');
  }
  return way;
}

function wayOf(command: readonly string[]): PromptDelivery {
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
  return new RunError('usage', `the agent "${name}" in the configuration cannot be used: ${problem}`);
}
