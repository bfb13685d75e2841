import path from 'node:path';
import { type Command, Option } from 'commander';
import type { ServerOptions } from '../../server/server-options.js';
import { clusterHome } from '../../setup/find-run.js';
import { UsageError } from '../../setup/usage-error.js';
import {
  addDatabaseOption,
  type DatabaseArguments,
  databaseIfAny,
  withCluster,
} from '../cluster/database.js';
import type { CliCommand } from '../command.js';
import {
  addServedRunsOptions,
  parseAtLeastOne,
  parsePort,
  type ServedRunsArguments,
  serverOptionsOf,
} from '../serve-options.js';
import { tokenFileOf } from '../token-file.js';

/**
 * Default port: in no range that systems assign by themselves, used by no other common server, and blocked
 * by no browser.
 */
const usualPort = 8421;

export interface ServeArguments extends ServedRunsArguments, DatabaseArguments {
  readonly port: number;
  readonly host: string;
  readonly allowHost?: readonly string[];
  readonly tokenFile?: string;
  readonly maxBody: number;
  readonly rate: number;
  readonly onRestart: ServerOptions['onRestart'];
  readonly logFormat: 'text' | 'json';
  readonly files?: string;
}

/** `attractor serve`: the HTTP API and the page (§9.5). */
export const serveCommand: CliCommand<ServeArguments> = {
  name: 'serve',
  summary: 'Run pipelines over HTTP, with a page for the browser',
  example: 'attractor serve --allow-tools',
  configure: (command) => addServedRunsOptions(addClusterOptions(addAddressOptions(command))),
  async run(_, args, io) {
    const { serve } = await import('../serve.js');
    const [cwd, variables] = [io.cwd(), io.env];
    const address = {
      host: args.host,
      port: args.port,
      allowedHosts: args.allowHost ?? [],
      tokenFile: tokenFileOf(args.tokenFile, cwd, variables),
      maxBodyBytes: args.maxBody * 1024,
      requestsPerSecond: args.rate,
      onRestart: args.onRestart,
    };
    const options = serverOptionsOf(args, address, { command: 'attractor serve', cwd, variables });
    const database = databaseIfAny(args, io);
    if (database === undefined && args.files !== undefined)
      throw new UsageError('--files is for runs of a cluster; name a database, too');
    if (database === undefined) return serve(options, args.logFormat, io);
    const home = args.home === undefined ? clusterHome(cwd) : options.home;
    return withCluster(database, (cluster) =>
      serve(
        { ...options, home, sharedFiles: args.files && path.resolve(cwd, args.files) },
        args.logFormat,
        io,
        cluster,
      ),
    );
  },
};

function addClusterOptions(command: Command): Command {
  return addDatabaseOption(command).option(
    '--files <dir>',
    'with --database: directory with the files of runs, if the workers were started with one',
  );
}

function addAddressOptions(command: Command): Command {
  return command
    .option('--port <n>', 'port to listen on; 0 picks a free one', parsePort, usualPort)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--allow-host <name>', 'host name that requests may use; may be repeated', collect)
    .option('--token-file <file>', 'token file; by default in the configuration directory of the user')
    .option('--max-body <kb>', 'largest request body, in kilobytes', parseAtLeastOne, 2048)
    .option('--rate <n>', 'maximum requests per second and client', parseAtLeastOne, 200)
    .addOption(
      new Option('--on-restart <what>', 'what to do with runs interrupted by a crash of the server')
        .choices(['resume', 'offer'])
        .default('resume'),
    )
    .addOption(
      new Option('--log-format <format>', 'format of the log on standard error')
        .choices(['text', 'json'])
        .default('text'),
    );
}

function collect(name: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), name];
}
