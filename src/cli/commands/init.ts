import type { CliCommand } from '../command.js';
import { exitCode } from '../exit-code.js';

interface InitOptions {
  readonly template?: string;
}

/** `attractor init [DIRECTORY]`: a pipeline to begin with, next to what is there. */
export const initCommand: CliCommand<InitOptions> = {
  name: 'init',
  summary: 'Write a pipeline to begin with, and the files that belong to it; never overwrites',
  example: 'attractor init --template fix-until-green',
  configure: (command) =>
    command
      .argument('[directory]', 'where to write it; the current directory by default')
      .option(
        '--template <name>',
        'fix-until-green, review-a-change, map-reduce, approval or supervised; a terminal asks for it',
      ),
  async run([directory = '.'], { template }, io) {
    const { chooseTemplate, findTemplate } = await import('../package/templates.js');
    const { writeTemplate } = await import('../package/write-template.js');
    const chosen = template === undefined ? await chooseTemplate(io) : findTemplate(template);
    if (chosen === undefined) return exitCode.failure;
    io.stdout.write(writeTemplate(chosen, directory, io));
    return exitCode.ok;
  },
};
