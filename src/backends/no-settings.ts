import type { BackendSettings } from './settings.js';

/** Settings without a configuration; this module avoids the schema, which takes a while to load. */
export const noBackendSettings: BackendSettings = {
  providers: new Map(),
  mcp_servers: new Map(),
  agents: new Map(),
  prices: new Map(),
};
