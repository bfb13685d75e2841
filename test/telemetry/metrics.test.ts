import { describe, expect, it } from 'vitest';
import type { RunEvent } from '../../src/machine/event.js';
import { Metrics } from '../../src/telemetry/metrics.js';
import { pipeline, runOnDisk } from '../run/harness.js';
import { anyCharacter } from '../support/any-character.js';
import { fc } from '../support/fast-check.js';
import { readExposition } from './exposition.js';

const quiet = { runs: () => new Map<string, number>(), openQuestions: () => 0, openStreams: () => 0 };

/** The value of a sample, by its name and labels. */
async function valueIn(metrics: Metrics, name: string, labels: Readonly<Record<string, string>> = {}) {
  const { samples } = readExposition(await metrics.text());
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
    expect(await valueIn(metrics, 'attractor_runs_started_total', { kind: 'new' })).toBe(1);
    expect(await valueIn(metrics, 'attractor_runs_ended_total', { outcome: 'success' })).toBe(1);
    expect(await valueIn(metrics, 'attractor_stages_total', { handler: 'tool', outcome: 'fail' })).toBe(1);
    expect(await valueIn(metrics, 'attractor_stage_retries_total', { handler: 'tool' })).toBe(1);
    expect(await metrics.text()).not.toContain('secret_name');
  });

  it('count what models use, but what a child run used only once', async () => {
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
    expect(await valueIn(metrics, 'attractor_model_tokens_total', { direction: 'input' })).toBe(10);
    expect(await valueIn(metrics, 'attractor_model_tokens_total', { direction: 'output' })).toBe(5);
    expect(await valueIn(metrics, 'attractor_model_requests_total')).toBe(1);
    expect(await valueIn(metrics, 'attractor_model_cost_usd_total')).toBe(0.25);
  });

  it('ask for what is now when somebody looks', async () => {
    let streams = 3;
    const metrics = new Metrics({
      runs: () => new Map([['running', 2]]),
      openQuestions: () => 1,
      openStreams: () => streams,
    });
    expect(await valueIn(metrics, 'attractor_runs', { status: 'running' })).toBe(2);
    expect(await valueIn(metrics, 'attractor_open_questions')).toBe(1);
    expect(await valueIn(metrics, 'attractor_event_streams')).toBe(3);
    streams = 0;
    expect(await valueIn(metrics, 'attractor_event_streams')).toBe(0);
    expect(await valueIn(metrics, 'process_resident_memory_bytes')).toBeGreaterThan(1e6);
  });

  it('count requests by their pattern', async () => {
    const metrics = new Metrics(quiet);
    const route = '/pipelines/{id}';
    metrics.onRequest({ method: 'GET', route, status: 200, milliseconds: 4 });
    metrics.onRequest({ method: 'GET', route, status: 404, milliseconds: 1 });
    expect(
      await valueIn(metrics, 'attractor_http_requests_total', { method: 'GET', route, status: '404' }),
    ).toBe(1);
    expect(
      await valueIn(metrics, 'attractor_http_request_duration_seconds_count', { method: 'GET', route }),
    ).toBe(2);
  });

  it('count each duration in all buckets that hold it', async () => {
    const metrics = new Metrics(quiet);
    const route = '/health';
    for (const milliseconds of [0.5, 1, 4, 99_000])
      metrics.onRequest({ method: 'GET', route, status: 200, milliseconds });
    const name = 'attractor_http_request_duration_seconds';
    const { samples } = readExposition(await metrics.text());
    const counts = samples
      .filter((sample) => sample.name === `${name}_bucket`)
      .map(({ labels, value }) => [labels.le, value]);
    expect(counts).toEqual([
      ['0.001', 2],
      ['0.005', 3],
      ...['0.025', '0.1', '0.5', '2.5', '10'].map((bound) => [bound, 3]),
      ['+Inf', 4],
    ]);
    expect(await valueIn(metrics, `${name}_sum`, { method: 'GET', route })).toBeCloseTo(99.0055);
  });

  it('name any type of a handler as it was given', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: anyCharacter }), async (handler) => {
        const metrics = new Metrics(quiet);
        const event = { type: 'StageCompleted', duration: 1, outcome: { status: 'success' } };
        metrics.onStageEvent(event as unknown as RunEvent, handler);
        const labels = { handler, outcome: 'success' };
        expect(await valueIn(metrics, 'attractor_stages_total', labels)).toBe(1);
      }),
    );
  });

  it('have no sample of what never happened, but zero where there are no labels', async () => {
    const { samples, types } = readExposition(await new Metrics(quiet).text());
    expect(types.get('attractor_http_requests_total')).toBe('counter');
    const names = samples.map(({ name }) => name);
    expect(names).not.toContain('attractor_http_requests_total');
    expect(names).toContain('attractor_model_requests_total');
  });
});
