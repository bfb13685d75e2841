import type { ChosenExtensions } from '../plugins/load-extensions.js';
import type { Layout } from '../render/layout.js';
import type { Log } from '../telemetry/log.js';
import type { Metrics } from '../telemetry/metrics.js';
import type { HistoryCache } from '../view/history-cache.js';
import type { OpenStreams } from './http/open-streams.js';
import type { CheckPipeline } from './judging/check-pipeline.js';
import type { JudgePipeline } from './judging/judge-pipeline.js';
import type { PictureCache } from './pictures.js';
import type { RunRegistry } from './runs/run-registry.js';
import type { ServerOptions } from './server-options.js';

/** Shared parts of all operations. */
export interface ServerParts {
  readonly options: ServerOptions;
  readonly registry: RunRegistry;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly streams: OpenStreams;
  readonly pictures: PictureCache;
  /** Reads the runs that clients look into. */
  readonly histories: HistoryCache;
  /** Judges posted texts, on other threads than this one. */
  readonly judge: JudgePipeline;
  /** Decides properties of posted texts, on another thread. */
  readonly check: CheckPipeline;
  /** Lays out graphs, on other threads, too. */
  readonly layout: Layout;
  /** Extensions of plugins and the configuration, for texts that are not run. */
  readonly extensions: ChosenExtensions;
}

/**
 * Parts for whoever sends a request.
 * @param token name of the token that came with it, if it has one
 * @throws ProblemError if there are no runs for that name
 */
export type PartsFor = (token: string | undefined) => ServerParts | Promise<ServerParts>;
