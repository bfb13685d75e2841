import path from 'node:path';
import { InvalidArgumentError, Option } from 'commander';
import { amountAllowed, type BudgetLimit } from '../../graph/budget-limit.js';
import { parseDuration } from '../../graph/coerce.js';
import type { Duration } from '../../graph/graph.js';
import type { ServerOptions } from '../../server/server-options.js';
import { runsHome } from '../../setup/find-run.js';
import type { CliCommand } from '../command.js';
import { addExtensionOptions } from '../extension-options.js';
import { parseBudget } from '../run-arguments.js';
import { tokenFileOf } from '../token-file.js';

/**
 * Default port: in no range that systems assign by themselves, used by no other common server, and blocked
 * by no browser.
 */
const usualPort = 8421;

export interface ServeArguments {
  readonly port: number;
  readonly host: string;
  readonly allowHost?: readonly string[];
  readonly home?: string;
  readonly tokenFile?: string;
  readonly maxRuns: number;
  readonly maxQueued: number;
  readonly maxDepth: number;
  readonly maxSteps: number;
  readonly maxDisk: number;
  readonly maxTime: Duration;
  readonly budgetUsd: BudgetLimit;
  readonly maxBody: number;
  readonly rate: number;
  readonly onRestart: ServerOptions['onRestart'];
  readonly allowTools?: true;
  readonly plugin?: readonly string[];
  readonly config?: string | false;
  readonly backend?: string;
  readonly provider?: string;
  readonly model?: string;
  readonly logFormat: 'text' | 'json';
}

/** `attractor serve`: the HTTP API and the page (§9.5). */
export const serveCommand: CliCommand<ServeArguments> = {
  name: 'serve',
  summary: 'Run pipelines over HTTP, with a page for the browser',
  example: 'attractor serve --allow-tools',
  configure: (command) =>
    addExtensionOptions(
      command
        .option('--port <n>', 'port to listen on; 0 picks a free one', parsePort, usualPort)
        .option('--host <address>', 'address to listen on', '127.0.0.1')
        .option('--allow-host <name>', 'host name that requests may use; may be repeated', collect)
        .option('--home <dir>', 'directory of the runs; .attractor/runs by default')
        .option('--token-file <file>', 'token file; by default in the configuration directory of the user')
        .option('--max-runs <n>', 'maximum number of concurrent runs', parseAtLeastOne, 8)
        .option('--max-queued <n>', 'maximum number of queued runs', parseWhole, 1000)
        .option('--max-depth <n>', 'maximum levels of child pipelines of a run', parseWhole, 10)
        .option('--max-steps <n>', 'maximum number of stages of a run', parseAtLeastOne, 10_000)
        .option('--max-disk <mb>', 'maximum size of a run directory, in megabytes', parseAtLeastOne, 1024)
        .addOption(
          new Option('--max-time <duration>', 'maximum working time of a run, such as 90m')
            .argParser(parseTime)
            .default(day, day.text),
        )
        .option('--budget-usd <n>', 'maximum cost of a run, in US dollars, or none', parseBudget, 25)
        .option('--max-body <kb>', 'largest request body, in kilobytes', parseAtLeastOne, 2048)
        .option('--rate <n>', 'maximum requests per second and client', parseAtLeastOne, 200)
        .addOption(
          new Option('--on-restart <what>', 'what to do with runs interrupted by a crash of the server')
            .choices(['resume', 'offer'])
            .default('resume'),
        )
        .option('--allow-tools', 'let submitted pipelines run commands and coding agents on this machine')
        .option(
          '--backend <name>',
          'backend for LLM stages: auto, ai, acp, command, simulate, or a name from a plugin',
        )
        .option('--model <name>', 'default model of LLM stages, such as claude-sonnet-4-5')
        .option('--provider <name>', 'default provider or coding agent of LLM stages')
        .addOption(
          new Option('--log-format <format>', 'format of the log on standard error')
            .choices(['text', 'json'])
            .default('text'),
        ),
    ),
  async run(_, args, io) {
    const { serve } = await import('../serve.js');
    return serve(optionsOf(args, io.cwd(), io.env), args.logFormat, io);
  },
};

/** The settings of a server as a call gives them. */
function optionsOf(args: ServeArguments, cwd: string, variables: ServerOptions['variables']): ServerOptions {
  const { plugin, config, backend, provider, model } = args;
  return {
    workingDirectory: cwd,
    home: args.home === undefined ? runsHome(cwd) : path.resolve(cwd, args.home),
    host: args.host,
    port: args.port,
    allowedHosts: args.allowHost ?? [],
    tokenFile: tokenFileOf(args.tokenFile, cwd, variables),
    maxRunning: args.maxRuns,
    maxQueued: args.maxQueued,
    onRestart: args.onRestart,
    policy: { allowTools: args.allowTools === true },
    bounds: {
      setBy: 'attractor serve',
      maxDepth: args.maxDepth,
      maxSteps: args.maxSteps,
      maxDiskBytes: args.maxDisk * 2 ** 20,
      maxTime: args.maxTime,
      budgetUsd: amountAllowed(args.budgetUsd),
    },
    maxBodyBytes: args.maxBody * 1024,
    requestsPerSecond: args.rate,
    extensions: {
      plugin,
      config,
      backend,
      provider,
      model,
    },
    variables,
  };
}

function collect(name: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), name];
}

/** The longest that a run is worked on where nobody says how long. */
const day: Duration = { milliseconds: 86_400_000, text: '24h' };

function parseTime(text: string): Duration {
  const time = parseDuration(text);
  if (time === undefined || time.milliseconds === 0)
    throw new InvalidArgumentError('Expected a duration, such as 24h or 90m; a bare number is seconds.');
  return time;
}

function parsePort(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) {
    throw new InvalidArgumentError('Expected a number from 0 to 65535.');
  }
  return Number(text);
}

function parseAtLeastOne(text: string): number {
  const number = parseWhole(text);
  if (number < 1) throw new InvalidArgumentError('Expected a whole number of at least 1.');
  return number;
}

function parseWhole(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('Expected a whole number of at least 0.');
  return Number(text);
}
