import type { CliCommand } from '../command.js';
import { exitCode } from '../exit-code.js';

interface InitOptions {
  readonly template?: string;
  readonly agent?: readonly string[];
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
      )
      .option(
        '--agent <name>',
        'prepare the directory for a coding agent, with the skill and the MCP server: claude, codex, gemini, opencode, cursor or copilot; may be repeated',
        collect,
      ),
  async run([directory = '.'], { template, agent }, io) {
    if (agent !== undefined) {
      const { prepareAgents } = await import('../package/prepare-agents.js');
      io.stdout.write(prepareAgents(agent, directory, io.cwd()));
      if (template === undefined) return exitCode.ok;
    }
    const { chooseTemplate, findTemplate } = await import('../package/templates.js');
    const { writeTemplate } = await import('../package/write-template.js');
    const chosen = template === undefined ? await chooseTemplate(io) : findTemplate(template);
    if (chosen === undefined) return exitCode.failure;
    io.stdout.write(writeTemplate(chosen, directory, io));
    return exitCode.ok;
  },
};

function collect(name: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), name];
}
