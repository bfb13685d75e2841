import type { SpanAttributes, SpanSink } from '../../src/telemetry/span.js';

/** A span as a sink was told of it. */
export interface RecordedSpan {
  readonly id: string;
  readonly parent: string | undefined;
  readonly trace: string;
  readonly name: string;
  readonly start: number;
  readonly end: number | undefined;
  readonly error: string | undefined;
  readonly attributes: SpanAttributes;
}

/** Keeps all spans, those that have not ended too. */
export function recordingSink(): { readonly sink: SpanSink; readonly spans: () => readonly RecordedSpan[] } {
  const spans: RecordedSpan[] = [];
  const sink: SpanSink = {
    begin({ spanId, traceId, parentSpanId, name, start, attributes }) {
      const index = spans.length;
      const begun: RecordedSpan = {
        ...{ id: spanId, trace: traceId, parent: parentSpanId, name, start, attributes },
        ...{ end: undefined, error: undefined },
      };
      spans.push(begun);
      return {
        end({ end, error, attributes: more }) {
          if (spans[index]?.end !== undefined) throw new Error(`${name} ended twice`);
          spans[index] = { ...begun, end, error, attributes: { ...attributes, ...more } };
        },
      };
    },
  };
  return { sink, spans: () => spans };
}

/** The spans as a tree of names, the children indented. */
export function treeOf(spans: readonly RecordedSpan[], parent?: string): readonly string[] {
  return spans
    .filter((span) => span.parent === parent)
    .flatMap((span) => [span.name, ...treeOf(spans, span.id).map((line) => `  ${line}`)]);
}
