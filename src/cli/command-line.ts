import { Command } from 'commander';
import { printableLines } from '../diagnostic/printable.js';
import { describeSystemError } from '../run-directory/run-error.js';
import { redactorOf } from '../setup/keys.js';
import { version } from '../version.js';
import { type DatabaseArguments, databaseIfAny, isRunPath } from './cluster/database.js';
import type { CliCommand } from './command.js';
import { allCommands, commandsByName } from './commands/index.js';
import { exitCode } from './exit-code.js';
import type { Io } from './io.js';
import { reportError } from './output/report-error.js';
import { refuseUndecodable } from './refuse-undecodable.js';
import type { CommonArguments } from './run-arguments.js';
import { UncaughtErrors } from './uncaught-errors.js';

/**
 * Parses a call, runs its command and turns what went wrong into a message.
 * @param argv the arguments without the names of Node and of the script
 * @returns the exit status (DESIGN §5)
 */
export async function runCommandLine(argv: readonly string[], io: Io): Promise<number> {
  const output = watchOutput(io);
  const strays = new UncaughtErrors(io);
  let status: number;
  try {
    status = await Promise.race([runCommand(argv, io), strays.outlasted]);
    // Unhandled rejections are reported in a later turn.
    await new Promise(setImmediate);
    strays.check();
  } catch (error) {
    return strays.endCommand(reportError(error, io));
  }
  return strays.endCommand(output.isIncomplete() ? exitCode.failure : status);
}

async function runCommand(argv: readonly string[], io: Io): Promise<number> {
  let status: number = exitCode.ok;
  const program = newProgram(io);
  for (const command of await commandsFor(argv)) {
    const subcommand = command
      .configure(program.command(command.name))
      .description(command.summary)
      .addHelpText('after', `\nExample:\n  $ ${command.example}`)
      .action(async () => {
        refuseUndecodable();
        const { detach, json, ...others } = subcommand.opts<CommonArguments & DatabaseArguments>();
        const [argument] = subcommand.registeredArguments;
        const isRunHere = argument?.name() === 'run' && isRunPath(subcommand.args[0] ?? '');
        // A run of a cluster needs no process here.
        if (detach && (isRunHere || databaseIfAny(others, io) === undefined)) {
          const { detachCall } = await import('./runs/detach-call.js');
          status = await detachCall(argv, json === true, io);
        } else {
          status = await command.run(subcommand.args, subcommand.opts(), io);
        }
      });
  }
  await program.parseAsync(isHelpOfNothing(argv, program) ? argv.slice(1) : argv, { from: 'user' });
  return status;
}

/** The command that is called; where none is named, all of them, for help and for suggestions. */
async function commandsFor([name = '']: readonly string[]): Promise<readonly CliCommand<never>[]> {
  const load = commandsByName.get(name);
  return load === undefined ? allCommands() : [await load()];
}

/** `help` for what is not a command would show all there is, and not say why. */
function isHelpOfNothing([first, name]: readonly string[], { commands }: Command): boolean {
  if (first !== 'help' || name === undefined || name.startsWith('-')) return false;
  return commands.every((command) => command.name() !== name);
}

/**
 * Output that cannot be written does not end a command: a run is worth more than its messages. A reader that has
 * seen enough (`| head -1`) is not a failure.
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
    .showHelpAfterError('(see --help)')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      writeErr: (text) => void io.stderr.write(printableLines(redactorOf(io).text(text))),
      outputError: (text, write) => write(text.replace(/^error: /, 'attractor: ')),
    });
}
