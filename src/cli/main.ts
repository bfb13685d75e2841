import { Command, CommanderError } from 'commander';
import { describeSystemError, RunError } from '../engine/runtime/run-error.js';
import { version } from '../version.js';
import { commands } from './commands/index.js';
import { exitCode, exitCodeOfRunError } from './exit-code.js';
import type { Io } from './io.js';
import { UsageError } from './usage-error.js';

/**
 * The command line: parses the call, runs the command and turns what went wrong into a message.
 * @param argv the arguments without the names of Node and of the script
 * @returns the exit status (DESIGN §5)
 */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  let status: number = exitCode.ok;
  const output = watchOutput(io);
  const program = newProgram(io);
  for (const command of commands) {
    const subcommand = command
      .configure(program.command(command.name))
      .description(command.summary)
      .addHelpText('after', `\nExample:\n  $ ${command.example}`)
      .action(async () => {
        status = await command.run(subcommand.args, subcommand.opts(), io);
      });
  }
  try {
    await program.parseAsync(argv, { from: 'user' });
  } catch (error) {
    return reportError(error, io);
  }
  await new Promise(setImmediate);
  return output.isIncomplete() ? exitCode.failure : status;
}

/**
 * Output that cannot be written does not end a command: a run is worth more than what is said about it. A reader that has
 * seen enough (`| head -1`) is no failure.
 */
function watchOutput(io: Io): { isIncomplete(): boolean } {
  let isIncomplete = false;
  const onError = (error: NodeJS.ErrnoException): void => {
    if (error.code === 'EPIPE' || isIncomplete) return;
    isIncomplete = true;
    io.stderr.write(`attractor: the output could not be written: ${describeSystemError(error)}\n`);
  };
  io.stdout.on?.('error', onError);
  io.stderr.on?.('error', () => undefined);
  return { isIncomplete: () => isIncomplete };
}

function newProgram(io: Io): Command {
  return new Command('attractor')
    .description('Lints, draws and runs AI pipelines written in Graphviz DOT.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show this help')
    .helpCommand('help [command]', 'show the help of a command')
    .addHelpText('after', '\nExample:\n  $ attractor run examples/quickstart.dot')
    .showHelpAfterError('(--help shows what is possible)')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      writeErr: (text) => void io.stderr.write(text),
    });
}

function reportError(error: unknown, io: Io): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCode.ok : exitCode.usage;
  if (error instanceof UsageError) {
    io.stderr.write(`attractor: ${error.message}\n`);
    return exitCode.usage;
  }
  if (error instanceof RunError) {
    io.stderr.write(`attractor: ${error.message}\n`);
    return exitCodeOfRunError(error.code);
  }
  const details = error instanceof Error ? (error.stack ?? error.message) : String(error);
  io.stderr.write(
    `attractor: this is a bug in attractor ${version}; please report it with what follows\n${details}\n`,
  );
  return exitCode.failure;
}
