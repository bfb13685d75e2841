import { nodeAttribute } from '../../graph/attributes.js';
import type { Node } from '../../graph/graph.js';

/** Names of our own tools, in the order in which a model sees them; `tools/index.ts` loads the tools. */
export const ownToolNames = [
  'read_file',
  'write_file',
  'edit_file',
  'list_files',
  'grep',
  'run_command',
] as const;

export type OwnToolName = (typeof ownToolNames)[number];

/** Names in the attribute `tools` of a stage; none if it has all tools. */
export function toolNamesOf(node: Node): readonly string[] {
  const names = nodeAttribute(node, 'tools').split(',');
  return names.map((name) => name.trim()).filter((name) => name !== '');
}

/** True for a stage whose model has no tools. */
export function isWithoutTools(names: readonly string[]): boolean {
  return names.length === 1 && names[0] === 'none';
}

/** Beginning of the names of the tools of an MCP server. */
export function toolPrefixOf(server: string): string {
  return `${server}_`.replaceAll(/[^A-Za-z0-9_-]/g, '_');
}
