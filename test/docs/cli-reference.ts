import { type Argument, Command, type Option } from 'commander';
import type { CliCommand } from '../../src/cli/command.js';
import { allCommands } from '../../src/cli/commands/index.js';
import { readPage, tableOf } from './markdown.js';

const commands = await allCommands();

/** `docs/cli.md`: every command as its own definition has it. */
export function cliReference(): string {
  return [
    '# The command line',
    '',
    '<!-- Rendered from src/cli/commands: `npx vitest run test/docs -u` renews this page. -->',
    '',
    '`attractor COMMAND --help` prints the same, and `attractor --version` the version. Messages for people go to standard',
    'error, data to standard output. Colours are only used on a terminal; `NO_COLOR` and `FORCE_COLOR` are respected. Texts are wrapped to',
    'the width of a terminal, or there to `COLUMNS`.',
    'To start faster the next time, `attractor` keeps a few megabytes of its own compiled code below `$XDG_CACHE_HOME/attractor`',
    '(`~/.cache`, `~/Library/Caches`, `%LOCALAPPDATA%`); `NODE_DISABLE_COMPILE_CACHE=1` turns that off.',
    '[running.md](running.md) shows the commands in use.',
    '',
    '| command | does |',
    '|---|---|',
    ...commands.map(({ name, summary }) => `| [\`${name}\`](#${name}) | ${cell(summary)} |`),
    '',
    ...commands.flatMap(sectionOf),
    '## Exit status',
    '',
    '| status | when |',
    '|---|---|',
    ...tableOf(readPage('docs/running.md'), 'status').map(
      ([status = '', when = '']) => `| ${status} | ${when} |`,
    ),
    '',
  ].join('\n');
}

function sectionOf(cliCommand: CliCommand<never>): readonly string[] {
  const command = cliCommand.configure(new Command(cliCommand.name));
  const options = command.options.filter(({ hidden }) => !hidden);
  return [
    `## ${cliCommand.name}`,
    '',
    `${cliCommand.summary}.`,
    '',
    '```text',
    usageOf(cliCommand.name, command.registeredArguments, options.length > 0),
    '```',
    '',
    `For example: \`${cliCommand.example}\``,
    '',
    ...tableFor(command.registeredArguments.map(rowOfArgument), options.map(rowOfOption)),
  ];
}

function usageOf(name: string, given: readonly Argument[], hasOptions: boolean): string {
  const shown = given.map((argument) => {
    const text = `${argument.name()}${argument.variadic ? '...' : ''}`;
    return argument.required ? `<${text}>` : `[${text}]`;
  });
  return ['attractor', name, ...(hasOptions ? ['[options]'] : []), ...shown].join(' ');
}

type Row = readonly [what: string, meaning: string];

function rowOfArgument(argument: Argument): Row {
  return [`\`${argument.name()}\``, `${argument.description}${choicesOf(argument)}${defaultOf(argument)}`];
}

function rowOfOption(option: Option): Row {
  return [`\`${option.flags}\``, `${option.description}${choicesOf(option)}${defaultOf(option)}`];
}

function choicesOf({ argChoices }: Argument | Option): string {
  return argChoices === undefined ? '' : `: ${argChoices.map((choice) => `\`${choice}\``).join(', ')}`;
}

function defaultOf({ defaultValue, defaultValueDescription }: Argument | Option): string {
  if (defaultValueDescription !== undefined) return ` (default: ${defaultValueDescription})`;
  const isSaid = typeof defaultValue === 'string' || typeof defaultValue === 'number';
  return isSaid ? ` (default: \`${defaultValue}\`)` : '';
}

function tableFor(given: readonly Row[], options: readonly Row[]): readonly string[] {
  if (given.length + options.length === 0) return [];
  const rows = [...given, ...options].map(([what, meaning]) => `| ${cell(what)} | ${cell(meaning)} |`);
  return ['| argument or option | is |', '|---|---|', ...rows, ''];
}

/** Outside of code, what Markdown would take for its own. */
function cell(text: string): string {
  return text
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith('`') ? part : part.replaceAll(/[<>*_]/g, '\\$&')))
    .join('')
    .replaceAll('|', '\\|');
}
