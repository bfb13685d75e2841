import { userInfo } from 'node:os';
import { printable } from '../../diagnostic/printable.js';
import { redactorOf } from '../../setup/keys.js';
import { addDatabaseOption, type DatabaseArguments } from '../cluster/database.js';
import { withRun } from '../cluster/with-run.js';
import type { CliCommand } from '../command.js';
import { exitCode } from '../exit-code.js';

interface SteerArguments extends DatabaseArguments {
  readonly branch?: string;
}

/** `attractor steer RUN STAGE TEXT`: says something to the model of a running stage. */
export const steerCommand: CliCommand<SteerArguments> = {
  name: 'steer',
  summary: 'Say something to the model of a running stage',
  example: 'attractor steer .attractor/runs/20260131-120000-Example-k3x7qa plan "Use PostgreSQL"',
  configure: (command) =>
    addDatabaseOption(command)
      .argument('<run>', 'a run id, or a path to a run directory')
      .argument('<stage>', 'the stage; NODE/STAGE for one of a child run')
      .argument('<text>', 'the words; the model gets them before its next request')
      .option('--branch <id>', 'the branch, if several branches execute the stage'),
  run: ([name = '', stage = '', text = ''], options, io) =>
    withRun(name, options, io, async ({ directory }) => {
      const { sayToStage } = await import('../../setup/say-to-stage.js');
      // They lie in the run directory until they are taken.
      const said = redactorOf(io).json({ stage, branch: options.branch, text, by: personName() });
      await sayToStage(directory, said);
      io.stdout.write(`${printable(stage)} gets these words before its next request\n`);
      return exitCode.ok;
    }),
};

/** Name of the user; undefined if the system does not know it. */
function personName(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    return undefined;
  }
}
