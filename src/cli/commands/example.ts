import type { CliCommand } from '../command.js';
import { exitCode } from '../exit-code.js';

/** `attractor example [NAME]`: an example of the package, to look at. */
export const exampleCommand: CliCommand = {
  name: 'example',
  summary: 'Print an example, or the list of examples; init writes one to begin with',
  example: 'attractor example map-reduce',
  configure: (command) =>
    command.argument('[example]', 'such as map-reduce; without it, the list of examples'),
  async run([name], _options, io) {
    const { examples } = await import('../package/examples.js');
    const { entryList, entryNamed, packageFile } = await import('../package/package-files.js');
    const text =
      name === undefined
        ? entryList(examples)
        : packageFile(`examples/${entryNamed('example', name, examples).name}.dot`);
    io.stdout.write(text);
    return exitCode.ok;
  },
};
