import type { RunEvent, StageCompleted, StageFailed, StageSkipped } from '../machine/event.js';
import { Counter, expose, type Family, Gauge, Histogram } from './prometheus.js';

/** Values that are read when metrics are requested. */
export interface MetricSources {
  /** Number of runs by status. */
  readonly runs: () => ReadonlyMap<string, number>;
  /** Number of active runs that only wait for people. */
  readonly waitingRuns?: () => number;
  readonly openQuestions: () => number;
  readonly openStreams: () => number;
}

/** A request that was answered. */
export interface AnsweredRequest {
  readonly method: string;
  /** The pattern, `/pipelines/{id}`, never the path: what clients can choose must not become a label. */
  readonly route: string;
  readonly status: number;
  readonly milliseconds: number;
}

const stageSeconds = [0.01, 0.1, 0.5, 1, 5, 15, 60, 300, 900, 3600];
const requestSeconds = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10];

/**
 * Measurements of a server and of the runs that it executes, for Prometheus. Nothing that authors or clients name is a label but the
 * type of a handler, so that there is a bounded number of them.
 */
export class Metrics {
  readonly #starts = new Counter('attractor_runs_started_total', 'Runs that began, or continued.');
  readonly #ends = new Counter('attractor_runs_ended_total', 'Runs that ended or were paused, by how.');
  readonly #stages = new Counter(
    'attractor_stages_total',
    'Attempts of stages that ended, by type and outcome.',
  );
  readonly #retries = new Counter('attractor_stage_retries_total', 'Attempts that another one followed.');
  readonly #stageTime = new Histogram(
    'attractor_stage_duration_seconds',
    'How long attempts of stages took.',
    stageSeconds,
  );
  readonly #requests = new Counter('attractor_model_requests_total', 'Requests to models.');
  readonly #tokens = new Counter('attractor_model_tokens_total', 'Tokens of models, by direction.');
  readonly #cost = new Counter(
    'attractor_model_cost_usd_total',
    'What models have cost where a price is known.',
  );
  readonly #http = new Counter('attractor_http_requests_total', 'Requests that were answered.');
  readonly #httpTime = new Histogram(
    'attractor_http_request_duration_seconds',
    'How long it took to answer; of streams, until they began.',
    requestSeconds,
  );
  /** Request counters by method, route and status: as many as there are combinations. */
  readonly #kinds = new Map<string, { readonly count: () => void; readonly observe: (s: number) => void }>();
  readonly #families: readonly Family[];

  constructor({ runs, waitingRuns = () => 0, openQuestions, openStreams }: MetricSources) {
    const since = Date.now() / 1000;
    this.#families = [
      this.#starts,
      this.#ends,
      new Gauge('attractor_runs', 'Runs, by status.', () =>
        [...runs()].map(([status, count]) => [{ status }, count]),
      ),
      new Gauge('attractor_runs_waiting_for_people', 'Runs under way that only wait for people.', () =>
        one(waitingRuns()),
      ),
      new Gauge('attractor_open_questions', 'Questions that wait for an answer.', () => one(openQuestions())),
      this.#stages,
      this.#retries,
      this.#stageTime,
      this.#requests,
      this.#tokens,
      this.#cost,
      this.#http,
      this.#httpTime,
      new Gauge('attractor_event_streams', 'Streams of events that are open.', () => one(openStreams())),
      new Gauge('process_resident_memory_bytes', 'Memory of the process.', () =>
        one(process.memoryUsage.rss()),
      ),
      new Gauge('process_start_time_seconds', 'When the process began, in seconds since 1970.', () =>
        one(Math.round(since - process.uptime())),
      ),
    ];
  }

  /**
   * Call with every event of every run.
   * @param handler the type of the stage's handler, if it is one of a stage
   */
  onRunEvent(event: RunEvent, handler?: string): void {
    this.#addRun(event);
    this.onStageEvent(event, handler);
  }

  /**
   * Call with every event of a run that a stage of another one has started: its stages and its models
   * count, the run itself does not.
   */
  onStageEvent(event: RunEvent, handler = 'unknown'): void {
    switch (event.type) {
      case 'StageCompleted':
      case 'StageSkipped':
      case 'StageFailed':
        return this.#addStage(event, handler);
      case 'ModelUsed':
        // Usage of a child run is in its own events.
        return event.child_run === undefined ? this.#addUsage(event.usage) : undefined;
    }
  }

  #addRun(event: RunEvent): void {
    switch (event.type) {
      case 'PipelineStarted':
        return this.#starts.add(1, { kind: 'new' });
      case 'PipelineResumed':
        return this.#starts.add(1, { kind: 'resumed' });
      case 'PipelineCompleted':
        return this.#ends.add(1, { outcome: 'success' });
      case 'PipelineFailed':
        return this.#ends.add(1, { outcome: 'fail' });
      case 'PipelineCancelled':
        return this.#ends.add(1, { outcome: 'cancelled' });
      case 'PipelinePaused':
        return this.#ends.add(1, { outcome: 'paused' });
    }
  }

  onRequest({ method, route, status, milliseconds }: AnsweredRequest): void {
    const kind = `${method} ${route} ${status}`;
    const known = this.#kinds.get(kind) ?? {
      count: this.#http.each({ method, route, status: String(status) }),
      observe: this.#httpTime.each({ method, route }),
    };
    this.#kinds.set(kind, known);
    known.count();
    known.observe(milliseconds / 1000);
  }

  /** Body of `/metrics`, as `text/plain; version=0.0.4`. */
  text(): string {
    return expose(this.#families);
  }

  #addStage(event: StageCompleted | StageSkipped | StageFailed, handler: string): void {
    this.#stages.add(1, { handler, outcome: outcomeOf(event) });
    this.#stageTime.observe(event.duration / 1000, { handler });
    if (event.type === 'StageFailed' && event.will_retry) this.#retries.add(1, { handler });
  }

  #addUsage({ requests, input_tokens, output_tokens, cost_usd }: UsageOf): void {
    this.#requests.add(requests);
    this.#tokens.add(input_tokens, { direction: 'input' });
    this.#tokens.add(output_tokens, { direction: 'output' });
    if (cost_usd !== undefined) this.#cost.add(cost_usd);
  }
}

type UsageOf = Extract<RunEvent, { readonly type: 'ModelUsed' }>['usage'];

/** Statuses of custom outcomes are words of authors (SEMANTICS 44g), hence no labels. */
function outcomeOf({ type, outcome: { status } }: StageCompleted | StageSkipped | StageFailed): string {
  switch (type) {
    case 'StageFailed':
      return 'fail';
    case 'StageSkipped':
      return 'skipped';
    case 'StageCompleted':
      return status === 'partial_success' ? status : 'success';
  }
}

function one(value: number): readonly (readonly [Record<string, string>, number])[] {
  return [[{}, value]];
}
