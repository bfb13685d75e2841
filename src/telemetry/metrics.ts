import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { RunEvent, StageCompleted, StageFailed, StageSkipped } from '../machine/event.js';

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
  readonly #registry = new Registry();
  readonly #starts = this.#counter('attractor_runs_started_total', 'Runs that started or continued.', [
    'kind',
  ]);
  readonly #ends = this.#counter('attractor_runs_ended_total', 'Runs that ended or were paused, by result.', [
    'outcome',
  ]);
  readonly #stages = this.#counter(
    'attractor_stages_total',
    'Attempts of stages that ended, by type and outcome.',
    ['handler', 'outcome'],
  );
  readonly #retries = this.#counter('attractor_stage_retries_total', 'Attempts that were retried.', [
    'handler',
  ]);
  readonly #stageTime = this.#histogram(
    'attractor_stage_duration_seconds',
    'Duration of attempts of stages.',
    {
      labelNames: ['handler'],
      buckets: stageSeconds,
    },
  );
  readonly #requests = this.#counter('attractor_model_requests_total', 'Requests to models.');
  readonly #requestRetries = this.#counter(
    'attractor_model_request_retries_total',
    'Requests to models that failed and were repeated.',
  );
  readonly #tokens = this.#counter('attractor_model_tokens_total', 'Tokens of models, by direction.', [
    'direction',
  ]);
  readonly #cost = this.#counter('attractor_model_cost_usd_total', 'Cost of models with a known price.');
  readonly #http = this.#counter('attractor_http_requests_total', 'Answered requests.', [
    'method',
    'route',
    'status',
  ]);
  readonly #httpTime = this.#histogram(
    'attractor_http_request_duration_seconds',
    'Time to answer; for streams, time until they start.',
    { labelNames: ['method', 'route'], buckets: requestSeconds },
  );

  constructor({ runs, waitingRuns = () => 0, openQuestions, openStreams }: MetricSources) {
    const gauge = (name: string, help: string, read: () => number): void => {
      this.#gauge(name, help, (one) => one.set(read()));
    };
    this.#gauge(
      'attractor_runs',
      'Runs, by status.',
      (one) => {
        one.reset();
        for (const [status, count] of runs()) one.set({ status }, count);
      },
      ['status'],
    );
    gauge('attractor_runs_waiting_for_people', 'Active runs that only wait for people.', waitingRuns);
    gauge('attractor_open_questions', 'Open questions.', openQuestions);
    gauge('attractor_event_streams', 'Open streams of events.', openStreams);
    gauge('process_resident_memory_bytes', 'Memory of the process.', () => process.memoryUsage.rss());
    const started = Math.round(Date.now() / 1000 - process.uptime());
    gauge('process_start_time_seconds', 'Start time of the process, in seconds since 1970.', () => started);
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
      case 'RequestRetrying':
        return this.#requestRetries.inc();
      case 'ModelUsed':
        // Usage of a child run is in its own events.
        return event.child_run === undefined ? this.#addUsage(event.usage) : undefined;
    }
  }

  #addRun(event: RunEvent): void {
    switch (event.type) {
      case 'PipelineStarted':
        return this.#starts.inc({ kind: 'new' });
      case 'PipelineResumed':
        return this.#starts.inc({ kind: 'resumed' });
      case 'PipelineCompleted':
        return this.#ends.inc({ outcome: 'success' });
      case 'PipelineFailed':
        return this.#ends.inc({ outcome: 'fail' });
      case 'PipelineCancelled':
        return this.#ends.inc({ outcome: 'cancelled' });
      case 'PipelinePaused':
        return this.#ends.inc({ outcome: 'paused' });
    }
  }

  onRequest({ method, route, status, milliseconds }: AnsweredRequest): void {
    this.#http.inc({ method, route, status });
    this.#httpTime.observe({ method, route }, milliseconds / 1000);
  }

  /** Body of `/metrics`, of the type `contentType`. */
  text(): Promise<string> {
    return this.#registry.metrics();
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  #addStage(event: StageCompleted | StageSkipped | StageFailed, handler: string): void {
    this.#stages.inc({ handler, outcome: outcomeOf(event) });
    this.#stageTime.observe({ handler }, event.duration / 1000);
    if (event.type === 'StageFailed' && event.will_retry) this.#retries.inc({ handler });
  }

  #addUsage({ requests, input_tokens, output_tokens, cost_usd }: UsageOf): void {
    this.#requests.inc(requests);
    this.#tokens.inc({ direction: 'input' }, input_tokens);
    this.#tokens.inc({ direction: 'output' }, output_tokens);
    if (cost_usd !== undefined) this.#cost.inc(cost_usd);
  }

  #counter<Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[] = [],
  ): Counter<Label> {
    return new Counter({ name, help, labelNames, registers: [this.#registry] });
  }

  #histogram<Label extends string>(
    name: string,
    help: string,
    options: { readonly labelNames: readonly Label[]; readonly buckets: number[] },
  ): Histogram<Label> {
    return new Histogram({ name, help, ...options, registers: [this.#registry] });
  }

  /** @param update reads the value when metrics are requested */
  #gauge<Label extends string = never>(
    name: string,
    help: string,
    update: (gauge: Gauge<Label>) => void,
    labelNames: readonly Label[] = [],
  ): void {
    const gauge: Gauge<Label> = new Gauge({
      name,
      help,
      labelNames,
      registers: [this.#registry],
      collect: () => update(gauge),
    });
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
