import type { Program } from '../../graph/program.js';
import type { RunEvent } from '../../machine/event.js';
import type { Log } from '../../telemetry/log.js';
import type { Metrics } from '../../telemetry/metrics.js';
import type { Tracing } from '../../telemetry/tracing.js';
import type { ObserveRun } from './run-observer.js';

/** Counts what runs do, traces them where that is wanted, and logs when they begin and end. */
export function observeRuns(metrics: Metrics, tracing: Tracing | undefined, log: Log): ObserveRun {
  return (program) => {
    const traces = tracing?.ofRun(program);
    return {
      onEvent(event) {
        metrics.onRunEvent(event, handlerOf(event, program));
        traces?.onEvent(event);
        logLifecycle(event, log);
      },
      onChildEvent(event, origin) {
        metrics.onStageEvent(event, handlerOf(event, origin.program));
        traces?.onChildEvent(event, origin);
      },
      stop: () => traces?.stop(),
    };
  };
}

/** Types are those of the built-in handlers and of the plugins of the operator: a bounded number. */
function handlerOf(event: RunEvent, { nodes }: Program): string | undefined {
  return 'node_id' in event && event.node_id !== undefined
    ? nodes.get(event.node_id)?.handler.type
    : undefined;
}

function logLifecycle(event: RunEvent, log: Log): void {
  const run = event.run_id;
  switch (event.type) {
    case 'PipelineStarted':
      return log.write('info', 'run started', { run, name: event.name });
    case 'PipelineResumed':
      return log.write('info', 'run resumed', { run, from: event.from });
    case 'PipelinePaused':
      return log.write('info', 'run paused', { run, reason: event.reason });
    case 'PipelineCompleted':
      return log.write('info', 'run succeeded', { run, ms: event.duration });
    case 'PipelineFailed':
      return log.write('warning', 'run failed', {
        run,
        ms: event.duration,
        node: event.node_id,
        error: event.error,
      });
    case 'PipelineCancelled':
      return log.write('info', 'run cancelled', { run, ms: event.duration });
  }
}
