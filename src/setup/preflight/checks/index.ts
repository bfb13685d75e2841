import type { PreflightCheck } from '../preflight-check.js';
import { childFile } from './child-file.js';
import { environment } from './environment.js';
import { fallback } from './fallback.js';
import { input } from './input.js';
import { interactive } from './interactive.js';
import { lateUsage } from './late-usage.js';
import { mcpServer } from './mcp-server.js';
import { model } from './model.js';
import { program } from './program.js';
import { systemPrompt } from './system-prompt.js';
import { tool } from './tool.js';
import { unpricedModel } from './unpriced-model.js';

/** All checks, in the order of a report. */
export const preflightChecks: readonly PreflightCheck[] = [
  input,
  environment,
  model,
  fallback,
  interactive,
  childFile,
  mcpServer,
  tool,
  systemPrompt,
  unpricedModel,
  lateUsage,
  program,
];
