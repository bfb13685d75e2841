import type { Cluster } from '../cluster/cluster.js';
import type { ChosenExtensions } from '../plugins/load-extensions.js';
import { checkBackendName } from '../setup/backend-plan.js';
import { extensionsFor } from '../setup/extensions.js';
import { keysFor } from '../setup/keys.js';
import { allowedBackends } from '../setup/policy/allowed-backends.js';
import type { Log } from '../telemetry/log.js';
import { Metrics } from '../telemetry/metrics.js';
import { startTracing } from '../telemetry/start-tracing.js';
import { HistoryCache } from '../view/history-cache.js';
import { OpenStreams } from './http/open-streams.js';
import { checkBy } from './judging/check-pipeline.js';
import { judgeBy } from './judging/judge-pipeline.js';
import { PictureCache } from './pictures.js';
import { observeRuns } from './runs/observe-runs.js';
import { openRunRegistry } from './runs/open-run-registry.js';
import type { RunRegistry, RunRegistryDeps } from './runs/run-registry.js';
import type { ServerOptions } from './server-options.js';
import type { PartsFor, ServerParts } from './server-parts.js';
import { serverThreads } from './thread-tasks.js';

/** The parts of a server, open. */
export interface OpenedParts {
  readonly parts: ServerParts;
  readonly partsFor: PartsFor;
  /** Ends all streams and pauses what runs, so that the next server resumes it. */
  close(): Promise<void>;
}

/**
 * Opens the runs of a server, and what its operations need besides.
 * @param cluster whose runs are served; without one, those of this machine
 * @throws UsageError or RunError where the home or the configuration cannot be used
 */
export async function openServerParts(
  options: ServerOptions,
  log: Log,
  cluster?: Cluster,
): Promise<OpenedParts> {
  const place = {
    cwd: () => options.workingDirectory,
    env: options.variables,
    stderr: { write: (text: string) => log.write('warning', text.trimEnd().replace(/^attractor: /, '')) },
  };
  const extensions = await extensionsFor('-', options.extensions, place);
  await checkBackend(extensions, options, log);
  const streams = new OpenStreams();
  let registry: RunRegistry | undefined;
  const metrics = new Metrics({
    runs: () => registry?.counts().byStatus ?? new Map(),
    waitingRuns: () => registry?.counts().waitingForPeople ?? 0,
    openQuestions: () => registry?.counts().openQuestions ?? 0,
    openStreams: () => streams.size,
  });
  const keys = await keysFor(extensions.settings, { env: options.variables });
  const tracing = await startTracing(keys.variables, keys.redactor, (problem) =>
    log.write('warning', problem),
  );
  const threads = serverThreads();
  const judge = judgeBy((text) => threads.judge.run(text));
  const deps = { log, judge, observe: observeRuns(metrics, tracing, log) };
  const opened = await openRegistries(options, deps, cluster);
  registry = opened.registry;
  const close = async (): Promise<void> => {
    // Before the runs: that they are paused now is not an end, and clients find them in the next server.
    streams.closeAll();
    await opened.close();
    await threads.close();
    await tracing?.close();
  };
  let closing: Promise<void> | undefined;
  const parts: ServerParts = {
    options,
    registry: opened.registry,
    log,
    metrics,
    streams,
    extensions,
    pictures: new PictureCache(),
    histories: new HistoryCache(),
    judge,
    check: checkBy(judge, (text) => threads.check.run(text)),
    layout: (dot) => threads.layout.run(dot),
  };
  return {
    parts,
    partsFor: async (token) => {
      const own = token === undefined ? undefined : await opened.registryOf?.(token);
      return own === undefined ? parts : { ...parts, registry: own };
    },
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}

/** Runs of a server, and those of each named token, if they are different ones. */
interface OpenedRegistries {
  readonly registry: RunRegistry;
  /** @throws ProblemError if there are none for a name */
  registryOf?(token: string): Promise<RunRegistry>;
  close(): Promise<void>;
}

async function openRegistries(
  options: ServerOptions,
  deps: RunRegistryDeps,
  cluster: Cluster | undefined,
): Promise<OpenedRegistries> {
  if (cluster === undefined) {
    const registry = await openRunRegistry(options, deps);
    return { registry, close: () => registry.close() };
  }
  const { openClusterRegistries } = await import('./cluster-runs/open-cluster-registries.js');
  return openClusterRegistries(options, cluster, deps);
}

/**
 * Checks the configured backend when the server starts, instead of for the first submission.
 * @throws UsageError
 */
async function checkBackend(
  extensions: ChosenExtensions,
  { policy }: ServerOptions,
  log: Log,
): Promise<void> {
  await checkBackendName(extensions);
  const { backend, backends } = extensions;
  if (backend === undefined || allowedBackends(policy, backends.keys()).includes(backend)) return;
  log.write(
    'warning',
    `the backend "${backend}" starts programs, so without --allow-tools pipelines that use it are refused`,
  );
}
