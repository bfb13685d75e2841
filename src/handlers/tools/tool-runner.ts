import { statSync } from 'node:fs';
import path from 'node:path';
import type { Stage } from '../handler.js';
import type { ToolEnd } from './protocol.js';
import { runTool } from './run-tool.js';
import type { ToolCall } from './spawner.js';
import { toolRegister } from './tool-register.js';

/** How a tool ended, or why it was not even tried: there is no such directory to run it in. */
export type ToolResult = ToolEnd | 'no directory';

/** Runs the command of a tool stage (§4.10) and keeps what it prints in the files that the call names, as a port. */
export type ToolRunner = (call: ToolCall, stage: Stage) => Promise<ToolResult>;

/** Runs tools on this machine (SEMANTICS 59a). */
export const runToolHere: ToolRunner = async (call, stage) => {
  if (!isDirectory(call.directory)) return 'no directory';
  // The tool may leave a status file there (SEMANTICS 59b).
  stage.makeStageDirectory();
  const register = path.join(stage.logsRoot, toolRegister);
  return runTool({ ...call, register, redactor: stage.redactor }, stage.signal);
};

function isDirectory(directory: string): boolean {
  return statSync(directory, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
