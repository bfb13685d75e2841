import { describe, expect, it } from 'vitest';
import { compile } from '../../src/compiler/compile.js';
import type { RunEvent } from '../../src/machine/event.js';
import type { ChildOrigin } from '../../src/run/run-options.js';
import { noRedactor } from '../../src/secrets/redactor.js';
import { observeRuns } from '../../src/server/runs/observe-runs.js';
import { observedPorts } from '../../src/server/runs/run-observer.js';
import type { LogFields } from '../../src/telemetry/log.js';
import { Metrics } from '../../src/telemetry/metrics.js';
import { tracingInto } from '../../src/telemetry/tracing.js';
import { pipeline, runPipeline } from '../run/harness.js';
import { readExposition } from '../telemetry/exposition.js';
import { recordingSink, treeOf } from '../telemetry/recorded-spans.js';
import { askedServer, shortPipeline } from './asked-server.js';

describe('a run of the server', () => {
  it('is counted by the types of its stages at /metrics', async () => {
    const server = await askedServer();
    const id = await server.run(shortPipeline);
    await server.until(id, 'success');
    const answer = await server.ask('/metrics');
    expect(answer.headers.get('content-type')).toContain('text/plain; version=0.0.4');
    const { samples } = readExposition(await answer.text());
    const stages = samples.filter(({ name }) => name === 'attractor_stages_total');
    expect(stages.map(({ labels }) => labels)).toContainEqual({ handler: 'codergen', outcome: 'success' });
    expect(samples).toContainEqual({ name: 'attractor_runs', labels: { status: 'success' }, value: 1 });
  });

  it('is traced and logged from its beginning to its end', async () => {
    const { sink, spans } = recordingSink();
    const lines: [string, LogFields | undefined][] = [];
    const log = {
      write: (_level: string, message: string, fields?: LogFields) => lines.push([message, fields]),
    };
    const metrics = new Metrics({ runs: () => new Map(), openQuestions: () => 0, openStreams: () => 0 });
    const tracing = tracingInto({ ...sink, close: () => Promise.resolve() }, noRedactor);
    const dot = pipeline('start -> a -> exit');
    const { program } = compile(dot);
    if (program === undefined) throw new Error('the pipeline is wrong');
    const observer = observeRuns(metrics, tracing, log)(program, noRedactor);
    const { result } = await runPipeline(dot, { onEvent: observer.onEvent });
    observer.stop();
    expect(treeOf(spans())).toContain('  invoke_agent a');
    expect(spans().every(({ end }) => end !== undefined)).toBe(true);
    expect(lines.map(([message, fields]) => [message, fields?.run])).toEqual([
      ['run started', result.run_id],
      ['run succeeded', result.run_id],
    ]);
  });

  it('does not notice an observer that breaks', () => {
    const problems: string[] = [];
    const seen: string[] = [];
    const broken = (): never => {
      throw new Error('no room');
    };
    const ports = observedPorts(
      {
        onEvent: (_event: RunEvent) => void seen.push('event'),
        onChildEvent: (_event: RunEvent, _origin: ChildOrigin) => void seen.push('child'),
      },
      { onEvent: broken, onChildEvent: broken, stop: () => undefined },
      { write: (_level, message) => void problems.push(message) },
    );
    ports.onEvent({} as never);
    ports.onChildEvent({} as never, {} as never);
    expect(seen).toEqual(['event', 'child']);
    expect(problems).toEqual([
      'a run could not be measured: no room',
      'a run could not be measured: no room',
    ]);
  });
});
