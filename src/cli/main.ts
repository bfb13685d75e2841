import { Command, CommanderError } from 'commander';
import { RunError } from '../engine/runtime/run-error.js';
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
    return status;
  } catch (error) {
    return reportError(error, io);
  }
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
