import { Argument } from 'commander';
import { padColumns, textColumns } from '../../diagnostic/text-columns.js';
import type { NamedToken } from '../../server/security/named-tokens.js';
import { UsageError } from '../../setup/usage-error.js';
import { formatDuration } from '../../view/format-duration.js';
import type { CliCommand } from '../command.js';
import { exitCode } from '../exit-code.js';
import { type Io, usesColor } from '../io.js';
import { terminalJson } from '../output/terminal-json.js';
import { tokenFileOf } from '../token-file.js';

interface TokenArguments {
  readonly tokenFile?: string;
  readonly json?: true;
}

const actions = ['add', 'list', 'revoke'] as const;

/** `attractor token`: named tokens of a server, which can be revoked one by one (§9.5). */
export const tokenCommand: CliCommand<TokenArguments> = {
  name: 'token',
  summary: 'Add, list and revoke named tokens of the server',
  example: 'attractor token add alice',
  configure: (command) =>
    command
      .addArgument(new Argument('<action>', 'what to do').choices(actions))
      .argument('[name]', 'name of the token to add or to revoke')
      .option('--token-file <file>', 'token file of the server; by default that of `attractor serve`')
      .option('--json', 'print the list as JSON'),
  async run([action, name], options, io) {
    const { namedTokensDirectory } = await import('../../server/security/named-tokens.js');
    const directory = namedTokensDirectory(tokenFileOf(options.tokenFile, io.cwd(), io.env));
    switch (action as (typeof actions)[number]) {
      case 'add':
        return add(directory, await nameFor('add', name), io);
      case 'list':
        if (name !== undefined)
          throw new UsageError(`\`attractor token list\` takes no name; found "${name}"`);
        return list(directory, options, io);
      case 'revoke':
        return revoke(directory, await nameFor('revoke', name), io);
    }
  },
};

/** @throws UsageError */
async function nameFor(action: 'add' | 'revoke', name: string | undefined): Promise<string> {
  if (name === undefined) throw new UsageError(`name the token: attractor token ${action} NAME`);
  const { isTokenName } = await import('../../server/security/named-tokens.js');
  if (isTokenName(name)) return name;
  throw new UsageError(
    `${JSON.stringify(name)} cannot name a token; expected up to 64 letters, digits and ".", "_", "-", beginning with a letter or digit`,
  );
}

async function add(directory: string, name: string, io: Io): Promise<number> {
  const { addNamedToken } = await import('../../server/security/named-tokens.js');
  const token = addNamedToken(directory, name, new Date());
  if (token === undefined) {
    throw new UsageError(
      `the token "${name}" already exists; choose another name, or revoke it first: attractor token revoke ${name}`,
    );
  }
  io.stderr.write(
    `attractor: token "${name}" added; it is shown only now. Programs send it as "Authorization: Bearer TOKEN"; a browser opens ADDRESS/?token=TOKEN\n`,
  );
  io.stdout.write(`${token}\n`);
  return exitCode.ok;
}

async function revoke(directory: string, name: string, io: Io): Promise<number> {
  const { tokenNames, revokeNamedToken } = await import('../../server/security/named-tokens.js');
  if (!revokeNamedToken(directory, name)) {
    const { didYouMean } = await import('../../diagnostic/did-you-mean.js');
    throw new UsageError(
      `there is no token "${name}"${didYouMean(name, tokenNames(directory))} in ${directory}; \`attractor token list\` shows all`,
    );
  }
  io.stderr.write(
    `attractor: token "${name}" revoked; servers refuse it from now on, and end its event streams\n`,
  );
  return exitCode.ok;
}

async function list(directory: string, { json }: TokenArguments, io: Io): Promise<number> {
  const { listNamedTokens } = await import('../../server/security/named-tokens.js');
  const tokens = listNamedTokens(directory);
  if (json) {
    const shown = tokens.map(({ name, createdAt, lastUsedAt = null }) => ({
      name,
      created_at: createdAt,
      last_used_at: lastUsedAt,
    }));
    io.stdout.write(`${terminalJson({ tokens: shown }, 2)}\n`);
  } else if (tokens.length === 0) {
    io.stderr.write('There are no named tokens. To add one: attractor token add NAME\n');
  } else {
    const { Chalk } = await import('chalk');
    const chalk = new Chalk({ level: usesColor(io, io.stdout) ? 1 : 0 });
    const [header = '', ...rows] = align([['NAME', 'CREATED', 'LAST USED'], ...tokens.map(rowOf)]);
    io.stdout.write([chalk.dim(header), ...rows].map((line) => `${line}\n`).join(''));
  }
  return exitCode.ok;
}

function rowOf({ name, createdAt, lastUsedAt }: NamedToken): readonly string[] {
  return [name, age(createdAt), lastUsedAt === undefined ? 'never' : age(lastUsedAt)];
}

function age(time: string): string {
  return `${formatDuration(Math.max(0, Date.now() - Date.parse(time)))} ago`;
}

function align(rows: readonly (readonly string[])[]): readonly string[] {
  const width = (column: number): number => Math.max(...rows.map((row) => textColumns(row[column] ?? '')));
  return rows.map((row) =>
    row
      .map((cell, column) => padColumns(cell, width(column)))
      .join('  ')
      .trimEnd(),
  );
}
