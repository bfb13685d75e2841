import type { CliCommand } from '../command.js';

/** `attractor lsp`: the language server, on standard input and output, until its editor ends it. */
export const lspCommand: CliCommand = {
  name: 'lsp',
  summary: 'Serve editors: findings, completion and navigation by the Language Server Protocol',
  example: 'attractor lsp --stdio',
  configure: (command) =>
    command.option('--stdio', 'speak over standard input and output; the default, and the only way'),
  async run(_args, _options, io) {
    const { serveOnStandardStreams } = await import('../../lsp/server/standard-streams.js');
    return serveOnStandardStreams(io);
  },
};
