import {
  DiagLogLevel,
  diag,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  ConsoleSpanExporter,
  type IdGenerator,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { omitUndefined } from '../graph/omit-undefined.js';
import { version } from '../version.js';
import type { SpanSink } from './span.js';

/** A sink whose spans are sent away in the background. */
export interface ExportingSink extends SpanSink {
  /** Sends the remaining spans, within a short time limit; never throws. */
  close(): Promise<void>;
}

/**
 * Limit in milliseconds for resending spans to a collector that does not answer, and so for the wait at the
 * end of a run.
 */
const patienceMs = 2000;
const farewellMs = 3000;

/**
 * Exports spans by OTLP over HTTP, or prints them (§9.6 as traces); loaded only if an exporter is
 * configured.
 * @param onProblem called once if spans cannot be sent; the run continues
 */
export function openTelemetrySink(
  kind: 'otlp' | 'console',
  onProblem: (message: string) => void,
): ExportingSink {
  const tell = firstProblem(onProblem);
  const ids = new GivenIds();
  const provider = new BasicTracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': 'attractor', 'service.version': version }))
      .merge(detectResources({ detectors: [envDetector] })),
    idGenerator: ids,
    spanProcessors: [
      kind === 'console'
        ? new SimpleSpanProcessor(new ConsoleSpanExporter())
        : new BatchSpanProcessor(new OTLPTraceExporter({ timeoutMillis: patienceMs }), {
            exportTimeoutMillis: patienceMs,
            scheduledDelayMillis: 1000,
            maxQueueSize: 16_384,
          }),
    ],
  });
  const tracer = provider.getTracer('attractor', version);
  return {
    begin({ traceId, spanId, parentSpanId, name, kind: spanKind, start, attributes }) {
      ids.next = { traceId, spanId };
      const parent =
        parentSpanId === undefined
          ? ROOT_CONTEXT
          : trace.setSpanContext(ROOT_CONTEXT, {
              traceId,
              spanId: parentSpanId,
              traceFlags: TraceFlags.SAMPLED,
            });
      const span = tracer.startSpan(
        name,
        {
          kind: spanKind === 'client' ? SpanKind.CLIENT : SpanKind.INTERNAL,
          startTime: new Date(start),
          attributes: omitUndefined(attributes),
        },
        parent,
      );
      return {
        end({ end, error, attributes: more }) {
          if (more !== undefined) span.setAttributes(omitUndefined(more));
          if (error !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: error });
          span.end(new Date(Math.max(start, end)));
        },
      };
    },
    async close() {
      const timeout = new Promise<void>((resolve) => setTimeout(resolve, farewellMs).unref());
      await Promise.race([provider.shutdown().catch(tell), timeout]);
    },
  };
}

/** Reports the first problem only, whichever way the library reports it. */
function firstProblem(onProblem: (message: string) => void): (...parts: unknown[]) => void {
  let isReported = false;
  const tell = (...parts: unknown[]): void => {
    if (isReported) return;
    isReported = true;
    onProblem(`traces cannot be exported: ${wordsOf(parts)}; the run continues without`);
  };
  const ignore = (): void => undefined;
  const logger = { error: tell, warn: tell, info: ignore, debug: ignore, verbose: ignore };
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
  return tell;
}

/** The library logs errors as JSON with a stack, which people cannot read. */
function wordsOf(parts: readonly unknown[]): string {
  const text = parts
    .flat()
    .map((part) => (part instanceof Error ? part.message : String(part)))
    .join(' ');
  try {
    const { message } = JSON.parse(text) as { readonly message?: unknown };
    return typeof message === 'string' && message !== '' ? message : text;
  } catch {
    return text.split('\n', 1)[0] ?? '';
  }
}

/** Spans have the ids that their events give them. */
class GivenIds implements IdGenerator {
  next = { traceId: '', spanId: '' };
  generateTraceId = (): string => this.next.traceId;
  generateSpanId = (): string => this.next.spanId;
}
