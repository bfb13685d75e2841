import { Argument } from 'commander';
import type { CliCommand } from '../command.js';
import { type Shell, shells } from '../completion/shells.js';
import { exitCode } from '../exit-code.js';

/**
 * `attractor completion SHELL`: a script that completes commands, options, rules, runs and files; with
 * words after it, candidates for the last one (DESIGN §5).
 * @param commands to be completed
 */
export function completionCommand(commands: () => Promise<readonly CliCommand<never>[]>): CliCommand {
  return {
    name: 'completion',
    summary: 'Print a completion script for bash, zsh or fish',
    example: 'eval "$(attractor completion bash)"',
    configure: (command) =>
      command
        .addArgument(new Argument('<shell>', 'the shell').choices(shells))
        .argument('[words...]', 'words to complete, passed by the script')
        .usage('<bash|zsh|fish>'),
    async run([shell, ...words], _options, io) {
      if (words.length === 0) {
        const { completionScripts } = await import('../completion/scripts.js');
        io.stdout.write(completionScripts[shell as Shell]);
        return exitCode.ok;
      }
      const { completeCommandLine: complete } = await import('../completion/complete-command-line.js');
      const { candidates, files } = await complete(words, await commands(), io);
      const lines = candidates.map(({ word, description }) =>
        description === '' ? word : `${word}\t${description}`,
      );
      io.stdout.write([...lines, `:${files}`].map((line) => `${line}\n`).join(''));
      return exitCode.ok;
    },
  };
}
