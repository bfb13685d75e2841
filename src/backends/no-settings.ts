import type { BackendSettings } from './settings.js';

/** What holds where no configuration says anything; without the schema, which takes a while to load. */
export const noBackendSettings: BackendSettings = {
  providers: new Map(),
  mcp_servers: new Map(),
  agents: new Map(),
  prices: new Map(),
};
