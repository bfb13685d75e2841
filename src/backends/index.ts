import { acpBackend } from './acp/acp-backend.js';
import { aiBackend } from './ai/ai-backend.js';
import type { BackendDefinition } from './backend.js';
import { commandBackend } from './command/command-backend.js';
import { simulateBackend } from './simulate-backend.js';

/** All of our backends, each of which loads its library when it is made. */
export const builtInBackends: readonly BackendDefinition[] = [
  aiBackend,
  acpBackend,
  commandBackend,
  simulateBackend,
];
