import type { Duration } from '../graph/graph.js';
import type { RunBounds } from '../run/run-options.js';
import type { Variables } from '../secrets/find-secrets.js';
import type { Policy } from '../setup/policy/policed-run.js';

/** Options of `attractor serve`, all with safe defaults (§9.5). */
export interface ServerOptions {
  /**
   * Directory in which it was started: configuration is searched from here, and tools of allowed pipelines
   * run here.
   */
  readonly workingDirectory: string;
  /** Directory of its runs; by default `.attractor/runs` below the working directory. */
  readonly home: string;
  /** Directory in which the workers of a cluster store the files of runs, if they were started with one. */
  readonly sharedFiles?: string | undefined;
  /** Address; by default `127.0.0.1`. */
  readonly host: string;
  /** 0 for any that is free. */
  readonly port: number;
  /** Names, next to the loopback ones, that requests may be addressed to: `build.example.org`. */
  readonly allowedHosts: readonly string[];
  /** File that keeps the token between starts. */
  readonly tokenFile: string;
  /** Maximum of runs that are executed at the same time; the others queue. */
  readonly maxRunning: number;
  /** Maximum of runs in the queue. */
  readonly maxQueued: number;
  /**
   * Treatment of runs that were cut off when the server died: they continue by themselves, or wait to be
   * resumed.
   */
  readonly onRestart: 'resume' | 'offer';
  readonly policy: Policy;
  readonly bounds: ServerBounds;
  /** The largest body that is read, in bytes. */
  readonly maxBodyBytes: number;
  /** Maximum of a client's requests per second, on average. */
  readonly requestsPerSecond: number;
  readonly extensions: {
    readonly plugin?: readonly string[];
    readonly config?: string | false;
    readonly backend?: string;
    readonly provider?: string;
    readonly model?: string;
  };
  /** The environment of the process. */
  readonly variables: Variables;
}

/** Bounds of every run that the server executes, whoever began it; lower limits of its author hold all the same. */
export interface ServerBounds extends Required<Omit<RunBounds, 'budgetUsd'>>, Pick<RunBounds, 'budgetUsd'> {
  /** Bytes on the disk, with the runs below it and the directory in which its stages work. */
  readonly maxDiskBytes: number;
  /** Time for which it may be worked on: pauses and waits for people do not count. */
  readonly maxTime: Duration;
}
