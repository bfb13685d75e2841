import type { GatewaySettings } from '../../settings.js';
import type { AgentGateway } from '../agent-gateway.js';
import { gatewayByVariables } from './by-variables.js';

/** Gateway of an agent whose variables the configuration names. */
export function gatewayOfSettings({
  provider,
  base_url_env,
  key_env,
  base_url,
}: GatewaySettings): AgentGateway {
  return gatewayByVariables({
    provider,
    keyVariables: [key_env],
    addressVariable: base_url_env,
    address: base_url,
  });
}
