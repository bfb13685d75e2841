import { describe, expect, it } from 'vitest';
import { Metrics } from '../../src/telemetry/metrics.js';
import { pipeline, runOnDisk } from '../run/harness.js';
import { readExposition } from './exposition.js';

const quiet = { runs: () => new Map<string, number>(), openQuestions: () => 0, openStreams: () => 0 };

/** The value of a sample, by its name and labels. */
function valueIn(metrics: Metrics, name: string, labels: Readonly<Record<string, string>> = {}) {
  const { samples } = readExposition(metrics.text());
  return samples.find(
    (sample) => sample.name === name && JSON.stringify(sample.labels) === JSON.stringify(labels),
  )?.value;
}

describe('the metrics of runs', () => {
  it('count stages, retries and ends by type and outcome, never by an id of an author', async () => {
    const metrics = new Metrics(quiet);
    const dot = pipeline(
      'secret_name [shape=parallelogram, tool_command="true", max_retries=2]',
      'start -> secret_name -> exit',
    );
    await runOnDisk(dot, {
      script: { secret_name: [{ outcome: 'retry' }, { outcome: 'success' }] },
      onEvent: (event) => metrics.onRunEvent(event, 'node_id' in event ? 'tool' : undefined),
    });
    expect(valueIn(metrics, 'attractor_runs_started_total', { kind: 'new' })).toBe(1);
    expect(valueIn(metrics, 'attractor_runs_ended_total', { outcome: 'success' })).toBe(1);
    expect(valueIn(metrics, 'attractor_stages_total', { handler: 'tool', outcome: 'fail' })).toBe(1);
    expect(valueIn(metrics, 'attractor_stage_retries_total', { handler: 'tool' })).toBe(1);
    expect(metrics.text()).not.toContain('secret_name');
  });

  it('count what models use, but what a child run used only once', () => {
    const metrics = new Metrics(quiet);
    const header = { seq: 1, timestamp: '2026-01-31T12:00:00.000Z', run_id: 'r', description: '' };
    const stage = { node_id: 'a', name: 'a', index: 0, attempt: 1, visit: 1 };
    const used = {
      ...header,
      ...stage,
      type: 'ModelUsed',
      provider: 'p',
      model: 'm',
      usage: { requests: 1, input_tokens: 10, output_tokens: 5, cost_usd: 0.25 },
    } as const;
    metrics.onRunEvent(used);
    metrics.onRunEvent({ ...used, child_run: 'c', child_seq: 3 });
    expect(valueIn(metrics, 'attractor_model_tokens_total', { direction: 'input' })).toBe(10);
    expect(valueIn(metrics, 'attractor_model_tokens_total', { direction: 'output' })).toBe(5);
    expect(valueIn(metrics, 'attractor_model_requests_total')).toBe(1);
    expect(valueIn(metrics, 'attractor_model_cost_usd_total')).toBe(0.25);
  });

  it('ask for what is now when somebody looks', () => {
    let streams = 3;
    const metrics = new Metrics({
      runs: () => new Map([['running', 2]]),
      openQuestions: () => 1,
      openStreams: () => streams,
    });
    expect(valueIn(metrics, 'attractor_runs', { status: 'running' })).toBe(2);
    expect(valueIn(metrics, 'attractor_open_questions')).toBe(1);
    expect(valueIn(metrics, 'attractor_event_streams')).toBe(3);
    streams = 0;
    expect(valueIn(metrics, 'attractor_event_streams')).toBe(0);
    expect(valueIn(metrics, 'process_resident_memory_bytes')).toBeGreaterThan(1e6);
  });

  it('count requests by their pattern', () => {
    const metrics = new Metrics(quiet);
    const route = '/pipelines/{id}';
    metrics.onRequest({ method: 'GET', route, status: 200, milliseconds: 4 });
    metrics.onRequest({ method: 'GET', route, status: 404, milliseconds: 1 });
    expect(valueIn(metrics, 'attractor_http_requests_total', { method: 'GET', route, status: '404' })).toBe(
      1,
    );
    expect(valueIn(metrics, 'attractor_http_request_duration_seconds_count', { method: 'GET', route })).toBe(
      2,
    );
  });
});
