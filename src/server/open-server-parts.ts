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
import type { RunRegistry } from './runs/run-registry.js';
import type { ServerOptions } from './server-options.js';
import type { ServerParts } from './server-parts.js';
import { serverThreads } from './thread-tasks.js';

/** The parts of a server, open. */
export interface OpenedParts {
  readonly parts: ServerParts;
  /** Ends all streams and pauses what runs, so that the next server resumes it. */
  close(): Promise<void>;
}

/**
 * Opens the runs of a server, and what its operations need besides.
 * @throws UsageError or RunError where the home or the configuration cannot be used
 */
export async function openServerParts(options: ServerOptions, log: Log): Promise<OpenedParts> {
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
    openQuestions: () => openQuestions(registry),
    openStreams: () => streams.size,
  });
  const keys = await keysFor(extensions.settings, { env: options.variables });
  const tracing = await startTracing(keys.variables, keys.redactor, (problem) =>
    log.write('warning', problem),
  );
  const threads = serverThreads();
  const judge = judgeBy((text) => threads.judge.run(text));
  const opened = await openRunRegistry(options, { log, judge, observe: observeRuns(metrics, tracing, log) });
  registry = opened;
  const close = async (): Promise<void> => {
    // Before the runs: that they are paused now is not an end, and clients find them in the next server.
    streams.closeAll();
    await opened.close();
    await threads.close();
    await tracing?.close();
  };
  let closing: Promise<void> | undefined;
  return {
    parts: {
      options,
      registry: opened,
      log,
      metrics,
      streams,
      extensions,
      pictures: new PictureCache(),
      histories: new HistoryCache(),
      judge,
      check: checkBy(judge, (text) => threads.check.run(text)),
      layout: (dot) => threads.layout.run(dot),
    },
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}

/** Number of open questions in active runs. */
function openQuestions(registry: RunRegistry | undefined): number {
  const { runs = [] } = registry?.list({ status: 'running', limit: 200 }) ?? {};
  return runs.reduce((sum, run) => sum + run.open_questions, 0);
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
