import type { CliCommand } from '../command.js';
import type { McpArguments } from '../serve-agents.js';
import { addServedRunsOptions, parsePort } from '../serve-options.js';

/** Default port of `--http`, next to that of `serve`. */
const usualPort = 8422;

/** `attractor mcp`: the tools of coding agents, by the Model Context Protocol. */
export const mcpCommand: CliCommand<McpArguments> = {
  name: 'mcp',
  summary: 'Serve coding agents: tools to check, repair, simulate and run pipelines (Model Context Protocol)',
  example: 'claude mcp add attractor -- attractor mcp',
  configure: (command) =>
    addServedRunsOptions(
      command
        .option('--http', 'serve over HTTP on this machine, instead of standard input and output')
        .option('--port <n>', 'with --http: port to listen on; 0 picks a free one', parsePort, usualPort)
        .option('--token-file <file>', 'with --http: token file; by default that of serve'),
    ),
  async run(_, args, io) {
    const { serveAgents } = await import('../serve-agents.js');
    return serveAgents(args, io);
  },
};
