/** Attributes of a span; undefined ones are left out. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** Something that takes time in a run, as traces have it. */
export interface SpanStart {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly name: string;
  /** `client` for what another system does: a model. */
  readonly kind: 'internal' | 'client';
  /** Milliseconds since 1970. */
  readonly start: number;
  readonly attributes: SpanAttributes;
}

export interface SpanEnd {
  /** Milliseconds since 1970. */
  readonly end: number;
  /** Message of an error, if there was one. */
  readonly error?: string;
  readonly attributes?: SpanAttributes;
}

/** Receiver of spans. A span that began is ended, unless the process dies. */
export interface SpanSink {
  begin(span: SpanStart): OpenSpan;
}

export interface OpenSpan {
  end(end: SpanEnd): void;
}
