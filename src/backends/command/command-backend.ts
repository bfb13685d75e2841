import type { CodergenBackend } from '../../handlers/codergen-backend.js';
import type { BackendDefinition, BackendEnvironment } from '../backend.js';
import { GatewayServer } from '../gateway/gateway-server.js';
import { costOf, priceOf } from '../prices.js';
import { AgentFailure } from './agent-failure.js';
import { checkAgentSettings, commandChooser } from './command-chooser.js';
import { asksFor } from './command-template.js';
import type * as stages from './run-stage.js';

/** Coding agents that are called by a command line, one call a stage (§4.5). */
export const commandBackend: BackendDefinition = {
  name: 'command',
  runsPrograms: true,
  summary:
    'A coding agent by its command line: Claude Code, Codex, Gemini CLI, OpenCode, pi, or one of your own.',
  accepts: commandChooser.accepts,
  problemWith: commandChooser.problemWith,
  providerOf: commandChooser.providerOf,
  lateUsage: commandChooser.lateUsage,
  cannotAsk(model, environment) {
    const choice = commandChooser.agentFor(model, environment);
    if (choice.kind !== 'agent' || choice.chosen.agent.verdict !== undefined) return undefined;
    return `${choice.chosen.agent.title} by its command line takes no tool with which it could ask a person`;
  },
  lacksSystemPrompt(model, environment) {
    const choice = commandChooser.agentFor(model, environment);
    if (choice.kind !== 'agent' || asksFor(choice.chosen.agent.command, 'system_prompt')) return undefined;
    return `${choice.chosen.agent.title} takes no system prompt on its command line`;
  },
  async create(environment) {
    checkAgentSettings(environment.settings);
    return backendFor(environment, await import('./run-stage.js'));
  },
};

function backendFor(environment: BackendEnvironment, { runStage }: typeof stages): CodergenBackend {
  const gateways = new GatewayServer();
  return {
    readsFiles: () => true,
    async run(node, prompt, _context, call) {
      const choice = commandChooser.agentFor(call.model, environment);
      if (choice.kind !== 'agent') throw new AgentFailure(choice.problem, { failure_category: 'terminal' });
      return runStage(node, prompt, call, {
        chosen: choice.chosen,
        variables: environment.variables,
        gateways,
        settings: environment.settings,
        costOf(provider, model, usage) {
          const price = priceOf({ provider, model }, environment.settings.prices);
          return price && costOf(usage, price);
        },
      });
    },
  };
}
