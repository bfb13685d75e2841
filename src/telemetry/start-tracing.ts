import type { Variables } from '../secrets/find-secrets.js';
import type { Redactor } from '../secrets/redactor.js';
import type { Tracing } from './tracing.js';
import { tracingSettings } from './tracing-settings.js';

/**
 * Traces if an exporter is configured by the environment; otherwise undefined, and nothing is loaded.
 * @param onProblem called with a setting that is ignored
 */
export async function startTracing(
  variables: Variables,
  redactor: Redactor,
  onProblem: (message: string) => void,
): Promise<Tracing | undefined> {
  const settings = tracingSettings(variables);
  if (settings.kind === 'off') return undefined;
  if (settings.kind === 'otlp' && settings.problem !== undefined) onProblem(settings.problem);
  const { openTelemetrySink } = await import('./open-telemetry.js');
  const { tracingInto } = await import('./tracing.js');
  return tracingInto(openTelemetrySink(settings.kind, onProblem), redactor);
}
