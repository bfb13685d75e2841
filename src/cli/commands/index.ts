import type { CliCommand } from '../command.js';

/** Loads a command. */
type LoadCommand = () => Promise<CliCommand<never>>;

/** The commands by their names, in the order of `--help`: a call loads only the one that it names. */
export const commandsByName: ReadonlyMap<string, LoadCommand> = new Map<string, LoadCommand>([
  ['init', async () => (await import('./init.js')).initCommand],
  ['lint', async () => (await import('./lint.js')).lintCommand],
  ['check', async () => (await import('./check.js')).checkCommand],
  ['fmt', async () => (await import('./fmt.js')).fmtCommand],
  ['migrate', async () => (await import('./migrate.js')).migrateCommand],
  ['parse', async () => (await import('./parse.js')).parseCommand],
  ['render', async () => (await import('./render.js')).renderCommand],
  ['test', async () => (await import('./test.js')).testCommand],
  ['cost', async () => (await import('./cost.js')).costCommand],
  ['diff', async () => (await import('./diff.js')).diffCommand],
  ['doctor', async () => (await import('./doctor.js')).doctorCommand],
  ['run', async () => (await import('./run.js')).runCommand],
  ['resume', async () => (await import('./resume.js')).resumeCommand],
  ['fork', async () => (await import('./fork.js')).forkCommand],
  ['replay', async () => (await import('./replay.js')).replayCommand],
  ['serve', async () => (await import('./serve.js')).serveCommand],
  ['worker', async () => (await import('./worker.js')).workerCommand],
  ['cluster', async () => (await import('./cluster.js')).clusterCommand],
  ['pull', async () => (await import('./pull.js')).pullCommand],
  ['lsp', async () => (await import('./lsp.js')).lspCommand],
  ['mcp', async () => (await import('./mcp.js')).mcpCommand],
  ['token', async () => (await import('./token.js')).tokenCommand],
  ['answer', async () => (await import('./answer.js')).answerCommand],
  ['steer', async () => (await import('./steer.js')).steerCommand],
  ['runs', async () => (await import('./runs.js')).runsCommand],
  ['status', async () => (await import('./status.js')).statusCommand],
  ['wait', async () => (await import('./wait.js')).waitCommand],
  ['logs', async () => (await import('./logs.js')).logsCommand],
  ['report', async () => (await import('./report.js')).reportCommand],
  ['pause', async () => (await import('./pause.js')).pauseCommand],
  ['cancel', async () => (await import('./cancel.js')).cancelCommand],
  ['rules', async () => (await import('./rules.js')).rulesCommand],
  ['explain', async () => (await import('./explain.js')).explainCommand],
  ['docs', async () => (await import('./docs.js')).docsCommand],
  ['example', async () => (await import('./example.js')).exampleCommand],
  ['completion', async () => (await import('./completion.js')).completionCommand(allCommands)],
]);

export function allCommands(): Promise<readonly CliCommand<never>[]> {
  return Promise.all([...commandsByName.values()].map((load) => load()));
}
