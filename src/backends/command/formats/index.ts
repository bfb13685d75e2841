import type { OutputFormat } from '../agent-fact.js';
import { claudeStream } from './claude-stream.js';
import { codexExec } from './codex-exec.js';
import { geminiStream } from './gemini-stream.js';
import { opencodeJson } from './opencode-json.js';
import { piJson } from './pi-json.js';
import { plainText } from './plain-text.js';

/** Formats of agents' output; `output` in the configuration names one. */
export const outputFormats: readonly OutputFormat[] = [
  claudeStream,
  codexExec,
  geminiStream,
  opencodeJson,
  piJson,
  plainText,
];
