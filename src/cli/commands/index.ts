import type { CliCommand } from '../command.js';
import { answerCommand } from './answer.js';
import { cancelCommand } from './cancel.js';
import { checkCommand } from './check.js';
import { clusterCommand } from './cluster.js';
import { completionCommand } from './completion.js';
import { costCommand } from './cost.js';
import { diffCommand } from './diff.js';
import { docsCommand } from './docs.js';
import { doctorCommand } from './doctor.js';
import { exampleCommand } from './example.js';
import { explainCommand } from './explain.js';
import { fmtCommand } from './fmt.js';
import { forkCommand } from './fork.js';
import { initCommand } from './init.js';
import { lintCommand } from './lint.js';
import { logsCommand } from './logs.js';
import { lspCommand } from './lsp.js';
import { mcpCommand } from './mcp.js';
import { migrateCommand } from './migrate.js';
import { parseCommand } from './parse.js';
import { pauseCommand } from './pause.js';
import { renderCommand } from './render.js';
import { replayCommand } from './replay.js';
import { reportCommand } from './report.js';
import { resumeCommand } from './resume.js';
import { rulesCommand } from './rules.js';
import { runCommand } from './run.js';
import { runsCommand } from './runs.js';
import { serveCommand } from './serve.js';
import { statusCommand } from './status.js';
import { steerCommand } from './steer.js';
import { testCommand } from './test.js';
import { tokenCommand } from './token.js';
import { waitCommand } from './wait.js';
import { workerCommand } from './worker.js';

/** The commands in the order of `--help`. */
export const commands: readonly CliCommand<never>[] = [
  initCommand,
  lintCommand,
  checkCommand,
  fmtCommand,
  migrateCommand,
  parseCommand,
  renderCommand,
  testCommand,
  costCommand,
  diffCommand,
  doctorCommand,
  runCommand,
  resumeCommand,
  forkCommand,
  replayCommand,
  serveCommand,
  workerCommand,
  clusterCommand,
  lspCommand,
  mcpCommand,
  tokenCommand,
  answerCommand,
  steerCommand,
  runsCommand,
  statusCommand,
  waitCommand,
  logsCommand,
  reportCommand,
  pauseCommand,
  cancelCommand,
  rulesCommand,
  explainCommand,
  docsCommand,
  exampleCommand,
  completionCommand(() => commands),
];
