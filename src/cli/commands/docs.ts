import type { CliCommand } from '../command.js';
import { exitCode } from '../exit-code.js';
import { terminalJson } from '../output/terminal-json.js';

interface DocsOptions {
  readonly all?: true;
  readonly json?: true;
}

/** `attractor docs [NAME]`: the documentation of this version, without a network. */
export const docsCommand: CliCommand<DocsOptions> = {
  name: 'docs',
  summary: 'Print a page of the documentation, or the list of pages',
  example: 'attractor docs values',
  configure: (command) =>
    command
      .argument('[page]', 'a page, such as values or lint; without it, the list of pages')
      .option('--all', 'print every page, for a model that is to know the whole language')
      .option('--json', 'print the list as JSON'),
  async run([name], { all, json }, io) {
    const { docPages } = await import('../package/doc-pages.js');
    const { entryList, entryNamed, packageFile } = await import('../package/package-files.js');
    const pages = docPages();
    if (name !== undefined) io.stdout.write(packageFile(entryNamed('page', name, pages).file));
    else if (all) io.stdout.write(pages.map(({ file }) => packageFile(file)).join('\n'));
    else if (json) io.stdout.write(`${terminalJson({ pages }, 2)}\n`);
    else io.stdout.write(entryList(pages));
    return exitCode.ok;
  },
};
