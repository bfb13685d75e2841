import { gatewayByVariables } from './by-variables.js';

/** Claude Code, by its command line and over the Agent Client Protocol. */
export const claudeCodeGateway = gatewayByVariables({
  provider: 'anthropic',
  keyVariables: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN'],
  addressVariable: 'ANTHROPIC_BASE_URL',
  address: 'https://api.anthropic.com',
  otherwise: {
    CLAUDE_CODE_USE_BEDROCK: 'Amazon Bedrock',
    CLAUDE_CODE_USE_VERTEX: 'Google Vertex AI',
    CLAUDE_CODE_USE_FOUNDRY: 'Microsoft Foundry',
    CLAUDE_CODE_CLIENT_CERT: 'a client certificate',
  },
});
