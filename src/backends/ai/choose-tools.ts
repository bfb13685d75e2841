import { didYouMean } from '../../diagnostic/did-you-mean.js';
import type { Node } from '../../graph/graph.js';
import { StageCrash } from '../../handlers/handler.js';
import type { McpServers } from './mcp-servers.js';
import { isWithoutTools, toolNamesOf, toolPrefixOf } from './tool-names.js';
import type { AgentTool } from './tools/agent-tool.js';
import { builtInTools } from './tools/index.js';
import { readFileTool } from './tools/read-file.js';
import { runCommandTool } from './tools/run-command.js';

/**
 * Tools that a stage may use: those that its attribute `tools` names, else all of ours and of the MCP
 * servers.
 * @param mayRunCommands false to leave out the tool that runs commands
 * @throws StageCrash for an unknown tool, and for the one of commands if it is not allowed
 */
export async function chooseTools(
  node: Node,
  servers: McpServers,
  mayRunCommands = true,
): Promise<readonly AgentTool[]> {
  const ours = mayRunCommands ? builtInTools : builtInTools.filter((tool) => tool !== runCommandTool);
  const names = toolNamesOf(node);
  if (names.length === 0) return [...ours, ...(await servers.tools())];
  if (isWithoutTools(names)) return [];
  if (!mayRunCommands && names.includes(runCommandTool.name)) throw refusedCommands(node);
  // Start only the servers whose tools are asked for.
  const others = names.filter((name) => !ours.some((tool) => tool.name === name));
  const ofServers = await servers.tools((server) =>
    others.some((name) => name.startsWith(toolPrefixOf(server))),
  );
  const known = new Map([...ours, ...ofServers].map((tool) => [tool.name, tool]));
  const unknown = others.filter((name) => !known.has(name));
  if (unknown.length > 0) throw unknownTools(node, unknown, [...known.keys()]);
  return [...new Set(names)].flatMap((name) => known.get(name) ?? []);
}

/** True if a stage has a tool that reads files of its run (SEMANTICS 104). */
export function readsFiles(node: Node, mayRunCommands: boolean): boolean {
  const names = toolNamesOf(node);
  if (names.length === 0 || names.includes(readFileTool.name)) return true;
  return mayRunCommands && names.includes(runCommandTool.name);
}

function refusedCommands(node: Node): StageCrash {
  return new StageCrash(
    `the attribute "tools" of "${node.id}" names ${runCommandTool.name}, but this pipeline may not run commands`,
    { retryable: false, failure_category: 'terminal' },
  );
}

function unknownTools(node: Node, unknown: readonly string[], known: readonly string[]): StageCrash {
  const named = unknown.map((name) => `"${name}"${didYouMean(name, known)}`).join(', ');
  return new StageCrash(
    `the attribute "tools" of "${node.id}" names unknown tools: ${named}; there are ${known.join(', ')}, and those of the MCP servers in the configuration, as <server>_<tool>`,
    { retryable: false },
  );
}
