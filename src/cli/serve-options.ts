import path from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { amountAllowed, type BudgetLimit } from '../graph/budget-limit.js';
import { parseDuration } from '../graph/coerce.js';
import type { Duration } from '../graph/graph.js';
import type { ServerOptions } from '../server/server-options.js';
import { runsHome } from '../setup/find-run.js';
import { addExtensionOptions } from './extension-options.js';
import { parseBudget } from './run-arguments.js';

/** Arguments of a command that runs pipelines for clients. */
export interface ServedRunsArguments {
  readonly home?: string;
  readonly maxRuns: number;
  readonly maxQueued: number;
  readonly maxDepth: number;
  readonly maxSteps: number;
  readonly maxDisk: number;
  readonly maxTime: Duration;
  readonly budgetUsd: BudgetLimit;
  readonly allowTools?: true;
  readonly plugin?: readonly string[];
  readonly config?: string | false;
  readonly backend?: string;
  readonly provider?: string;
  readonly model?: string;
}

/** Settings of a server besides those of its runs. */
export type AddressSettings = Pick<
  ServerOptions,
  'host' | 'port' | 'allowedHosts' | 'tokenFile' | 'maxBodyBytes' | 'requestsPerSecond' | 'onRestart'
>;

/** Options of `ServedRunsArguments`. */
export function addServedRunsOptions(command: Command): Command {
  return addExtensionOptions(
    command
      .option('--home <dir>', 'directory of the runs; .attractor/runs by default')
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
      .option('--allow-tools', 'let submitted pipelines run commands and coding agents on this machine')
      .option(
        '--backend <name>',
        'backend for LLM stages: auto, ai, acp, command, simulate, or a name from a plugin',
      )
      .option('--model <name>', 'default model of LLM stages, such as claude-sonnet-4-5')
      .option('--provider <name>', 'default provider or coding agent of LLM stages'),
  );
}

/** Process whose runs are served, and the command that serves them. */
export interface ServingCall {
  readonly command: string;
  readonly cwd: string;
  readonly variables: ServerOptions['variables'];
}

/** Settings of a server as a call gives them. */
export function serverOptionsOf(
  args: ServedRunsArguments,
  address: AddressSettings,
  { command, cwd, variables }: ServingCall,
): ServerOptions {
  const { plugin, config, backend, provider, model } = args;
  return {
    ...address,
    workingDirectory: cwd,
    home: args.home === undefined ? runsHome(cwd) : path.resolve(cwd, args.home),
    maxRunning: args.maxRuns,
    maxQueued: args.maxQueued,
    policy: { allowTools: args.allowTools === true },
    bounds: {
      setBy: command,
      maxDepth: args.maxDepth,
      maxSteps: args.maxSteps,
      maxDiskBytes: args.maxDisk * 2 ** 20,
      maxTime: args.maxTime,
      budgetUsd: amountAllowed(args.budgetUsd),
    },
    extensions: { plugin, config, backend, provider, model },
    variables,
  };
}

/** The longest that a run is worked on where nobody says how long. */
const day: Duration = { milliseconds: 86_400_000, text: '24h' };

function parseTime(text: string): Duration {
  const time = parseDuration(text);
  if (time === undefined || time.milliseconds === 0)
    throw new InvalidArgumentError('Expected a duration, such as 24h or 90m; a bare number is seconds.');
  return time;
}

/** @throws InvalidArgumentError for anything but a port */
export function parsePort(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) {
    throw new InvalidArgumentError('Expected a number from 0 to 65535.');
  }
  return Number(text);
}

/** @throws InvalidArgumentError */
export function parseAtLeastOne(text: string): number {
  const number = parseWhole(text);
  if (number < 1) throw new InvalidArgumentError('Expected a whole number of at least 1.');
  return number;
}

function parseWhole(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('Expected a whole number of at least 0.');
  return Number(text);
}
