import { toolNamesOf, toolPrefixOf } from '../../../backends/ai/tool-names.js';
import { isInstalled } from '../../../backends/find-program.js';
import type { Node } from '../../../graph/graph.js';
import { workerOf } from '../../worker-of.js';
import { foundTogether, type PreflightCheck } from '../preflight-check.js';

/** The programs of MCP servers exist, for stages that have their tools. */
export const mcpServer: PreflightCheck = {
  id: 'mcp_server',
  summary: 'The program of an MCP server is not installed, and a stage has its tools.',
  isAboutRealWork: true,
  isAboutMachine: true,
  *find({ plan, variables, workingDirectory }) {
    if (plan.kind === 'none' || plan.kind === 'plugin') return;
    const asking = plan.stages.filter((stage) => workerOf(plan, stage)?.definition.name === 'ai');
    for (const [name, { command }] of plan.environment.settings.mcp_servers) {
      if (command === undefined || isInstalled(command, workingDirectory, variables.PATH)) continue;
      const message = `the MCP server "${name}" cannot be started: there is no program "${command}"`;
      const stages = asking.filter(({ node }) => hasToolsOf(node, name));
      yield* foundTogether(
        stages.map(({ id }) => [message, id]),
        {
          severity: 'error',
          help: `install it, correct "mcp_servers.${name}" in the configuration, or list other \`tools\` on the stage`,
        },
      );
    }
  },
};

/** A stage has the tools of all servers unless its `tools` says otherwise. */
function hasToolsOf(node: Node, server: string): boolean {
  const names = toolNamesOf(node);
  const prefix = toolPrefixOf(server);
  return names.length === 0 || names.some((name) => name.startsWith(prefix));
}
