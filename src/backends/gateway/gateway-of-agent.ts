import type { GatewaySettings } from '../settings.js';
import { type AgentGateway, noGateway } from './agent-gateway.js';
import { claudeCodeGateway } from './agents/claude-code.js';
import { codexGateway } from './agents/codex.js';
import { geminiCliGateway } from './agents/gemini-cli.js';
import { opencodeGateway } from './agents/opencode.js';
import { gatewayOfSettings } from './agents/own-agent.js';
import { piGateway } from './agents/pi.js';

/** Known agents that can be pointed at the gateway, by their names. */
const gateways: ReadonlyMap<string, AgentGateway> = new Map(
  Object.entries({
    'claude-code': claudeCodeGateway,
    codex: codexGateway,
    'gemini-cli': geminiCliGateway,
    opencode: opencodeGateway,
    pi: piGateway,
  }),
);

/**
 * Gateway of an agent.
 * @param settings `agents.<name>.gateway` of the configuration
 */
export function gatewayOfAgent(name: string, settings: boolean | GatewaySettings = true): AgentGateway {
  if (settings === false) return noGateway('`gateway` is false in its settings');
  if (settings !== true) return gatewayOfSettings(settings);
  return gateways.get(name) ?? noGateway('its settings have no `gateway` that names its variables');
}
