import type { CliCommand } from '../command.js';
import { lintCommand } from './lint.js';
import { parseCommand } from './parse.js';
import { renderCommand } from './render.js';
import { resumeCommand } from './resume.js';
import { runCommand } from './run.js';
import { runsCommand } from './runs.js';

/** The commands in the order of `--help`. */
export const commands: readonly CliCommand<never>[] = [
  lintCommand,
  parseCommand,
  renderCommand,
  runCommand,
  resumeCommand,
  runsCommand,
];
