import type { BackendDefinition, BackendEnvironment } from '../backend.js';
import { agentNamed, type Surroundings } from './choose-agent.js';

/** Coding agents over the Agent Client Protocol, one process for each stage (§4.5, §5.4). */
export const acpBackend: BackendDefinition = {
  name: 'acp',
  summary:
    'coding agents over the Agent Client Protocol: Claude Code, Codex, Gemini CLI, OpenCode and others',
  accepts({ provider }, environment) {
    if (provider === undefined) return undefined;
    const choice = agentNamed(provider, surroundingsOf(environment));
    switch (choice.kind) {
      case 'agent':
        return { kind: 'ready' };
      case 'missing':
        return { kind: 'lacks', problem: choice.problem };
      case 'unknown':
        return undefined;
    }
  },
  async create(environment) {
    const { createAcpBackend } = await import('./create-acp-backend.js');
    return createAcpBackend(environment, surroundingsOf(environment));
  },
};

function surroundingsOf({ settings, workingDirectory, variables }: BackendEnvironment): Surroundings {
  return { settings, directory: workingDirectory, searchPath: variables.PATH };
}
