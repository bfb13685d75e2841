import type { ChildResult, ChildTelemetry } from './child-runner.js';
import type { Context } from './context.js';

/** Writes the state of a running child into the context of its manager (§4.11), under `stack.child.*`. */
export function ingestTelemetry(context: Context, telemetry: ChildTelemetry): void {
  const { activeStages } = telemetry;
  setAll(context, {
    run_id: telemetry.runId,
    run_dir: telemetry.directory,
    status: 'running',
    outcome: '',
    active_stage: activeStages[0] ?? '',
    active_stages: activeStages,
    last_stage: telemetry.lastStage ?? '',
    completed_count: telemetry.completed,
    retries: telemetry.retries,
    failures: telemetry.failures,
    artifacts: telemetry.artifacts,
    last_event: telemetry.lastEvent,
  });
}

/** Writes the result of an ended child into the context of its manager. */
export function ingestEnd(context: Context, result: ChildResult): void {
  setAll(context, {
    run_id: result.run_id,
    run_dir: result.run_dir,
    // In the words of §4.11.
    status: result.status === 'success' ? 'completed' : 'failed',
    outcome: result.status,
    active_stage: '',
    active_stages: [],
    quality: result.quality,
    failure_reason: result.failure_reason ?? '',
    failed_node: result.failed_node ?? '',
  });
}

function setAll(context: Context, values: Readonly<Record<string, unknown>>): void {
  for (const [key, value] of Object.entries(values)) context.set(`stack.child.${key}`, value);
}
