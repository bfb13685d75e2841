import { type OwnToolName, ownToolNames } from '../tool-names.js';
import type { AgentTool } from './agent-tool.js';
import { editFileTool } from './edit-file.js';
import { grepTool } from './grep.js';
import { listFilesTool } from './list-files.js';
import { readFileTool } from './read-file.js';
import { runCommandTool } from './run-command.js';
import { writeFileTool } from './write-file.js';

const tools: Readonly<Record<OwnToolName, AgentTool>> = {
  read_file: readFileTool,
  write_file: writeFileTool,
  edit_file: editFileTool,
  list_files: listFilesTool,
  grep: grepTool,
  run_command: runCommandTool,
};

/** The tools of ours that a stage of the `ai` backend has (§4.5). */
export const builtInTools: readonly AgentTool[] = ownToolNames.map((name) => tools[name]);
