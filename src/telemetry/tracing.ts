import type { Program } from '../graph/program.js';
import type { RunEvent } from '../machine/event.js';
import type { Redactor } from '../secrets/redactor.js';
import type { ExportingSink } from './open-telemetry.js';
import { RunSpans, type SpanContext } from './run-spans.js';
import type { SpanSink } from './span.js';

/** Origin of an event of a child run (§9.4). */
interface ChildOrigin {
  /** Node ids that run it: first of the run that was started, then of its child, and so on. */
  readonly path: readonly string[];
  readonly program: Program;
}

/** Traces of one run and of those that its stages start. */
export interface RunTracing {
  onEvent(event: RunEvent): void;
  onChildEvent(event: RunEvent, origin: ChildOrigin): void;
  /** Call when the process releases the run. */
  stop(): void;
}

/** Traces of a process. */
export interface Tracing {
  ofRun(program: Program): RunTracing;
  /** Sends the remaining spans; never throws, and never waits long. */
  close(): Promise<void>;
}

/** Tracing into a sink, without secrets. */
export function tracingInto(sink: ExportingSink, redactor: Redactor): Tracing {
  const clean = redactingSink(sink, redactor);
  return { ofRun: (program) => traceRun(clean, program), close: () => sink.close() };
}

function traceRun(sink: SpanSink, program: Program): RunTracing {
  const main = new RunSpans(sink, { handlerOf: handlersOf(program) });
  const children = new Map<string, RunSpans>();
  const pathOf = (path: readonly string[]): string => JSON.stringify(path);
  const parentOf = (path: readonly string[]): SpanContext | undefined => {
    const above = path.length > 1 ? children.get(pathOf(path.slice(0, -1))) : main;
    return above?.contextOf(path.at(-1) ?? '');
  };
  return {
    onEvent: (event) => main.add(event),
    onChildEvent(event, { path, program: own }) {
      const key = pathOf(path);
      const isFirst = event.type === 'PipelineStarted' || event.type === 'PipelineResumed';
      if (isFirst)
        children.set(key, new RunSpans(sink, { handlerOf: handlersOf(own), parent: parentOf(path) }));
      children.get(key)?.add(event);
    },
    stop() {
      const now = Date.now();
      for (const child of children.values()) child.stop(now);
      main.stop(now);
    },
  };
}

function handlersOf({ nodes }: Program) {
  return (nodeId: string): { readonly type: string; readonly llm: boolean } | undefined =>
    nodes.get(nodeId)?.handler;
}

function redactingSink(sink: SpanSink, redactor: Redactor): SpanSink {
  return {
    begin(span) {
      const open = sink.begin({
        ...span,
        name: redactor.text(span.name),
        attributes: redactor.json(span.attributes),
      });
      return {
        end: ({ error, attributes, ...end }) =>
          open.end({
            ...end,
            error: error === undefined ? undefined : redactor.text(error),
            attributes: attributes && redactor.json(attributes),
          }),
      };
    },
  };
}
