import type { BackendDefinition } from '../backend.js';
import { acpChooser } from './acp-chooser.js';

/** Coding agents over the Agent Client Protocol, one process for each stage (§4.5, §5.4). */
export const acpBackend: BackendDefinition = {
  name: 'acp',
  runsPrograms: true,
  summary:
    'coding agents over the Agent Client Protocol: Claude Code, Codex, Gemini CLI, OpenCode and others',
  accepts: acpChooser.accepts,
  problemWith: acpChooser.problemWith,
  providerOf: acpChooser.providerOf,
  lateUsage: acpChooser.lateUsage,
  lacksSystemPrompt(model, environment) {
    const choice = acpChooser.agentFor(model, environment);
    if (choice.kind !== 'agent' || choice.chosen.agent.systemPromptMeta !== undefined) return undefined;
    return `${choice.chosen.agent.title} over the Agent Client Protocol takes no system prompt`;
  },
  async create(environment) {
    const { createAcpBackend } = await import('./create-acp-backend.js');
    return createAcpBackend(environment);
  },
};
