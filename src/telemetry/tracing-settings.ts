import type { Variables } from '../secrets/find-secrets.js';

/** Destination of spans, from the standard variables of OpenTelemetry. */
export type TracingSettings =
  | { readonly kind: 'off' }
  | { readonly kind: 'console' }
  /** @member problem a setting that is ignored, in words */
  | { readonly kind: 'otlp'; readonly problem: string | undefined };

/**
 * Spans are exported where `OTEL_TRACES_EXPORTER` names an exporter, or an endpoint is given; the endpoint, headers and timeouts are read by
 * the exporter itself.
 */
export function tracingSettings(variables: Variables): TracingSettings {
  const given = (name: string): string | undefined => variables[name]?.trim() || undefined;
  if (given('OTEL_SDK_DISABLED')?.toLowerCase() === 'true') return { kind: 'off' };
  const hasEndpoint =
    given('OTEL_EXPORTER_OTLP_ENDPOINT') !== undefined ||
    given('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT') !== undefined;
  const exporter = given('OTEL_TRACES_EXPORTER') ?? (hasEndpoint ? 'otlp' : 'none');
  switch (exporter) {
    case 'none':
      return { kind: 'off' };
    case 'console':
      return { kind: 'console' };
    case 'otlp': {
      const protocol = given('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL') ?? given('OTEL_EXPORTER_OTLP_PROTOCOL');
      const isOther = protocol !== undefined && protocol !== 'http/json';
      return {
        kind: 'otlp',
        problem: isOther
          ? `traces are sent as http/json, not as ${protocol}: every collector for OTLP over HTTP accepts both`
          : undefined,
      };
    }
    default:
      return {
        kind: 'otlp',
        problem: `OTEL_TRACES_EXPORTER=${exporter} is not supported (otlp, console or none); traces are sent by OTLP`,
      };
  }
}
