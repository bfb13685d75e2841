import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { compile } from '../../src/compiler/compile.js';
import type { RunEvent } from '../../src/machine/event.js';
import { run } from '../../src/run/run.js';
import { makeRedactor, noRedactor } from '../../src/secrets/redactor.js';
import { traceIdOf } from '../../src/telemetry/span-ids.js';
import { tracingInto } from '../../src/telemetry/tracing.js';
import { pipeline, runOnDisk, type Setup } from '../run/harness.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { recordingSink, treeOf } from './recorded-spans.js';

/** Traces a run. @returns its spans, once it is over for this process */
async function traced(dot: string, setup: Setup = {}, redactor = noRedactor) {
  const { sink, spans } = recordingSink();
  const { program } = compile(dot);
  if (program === undefined) throw new Error('the pipeline is wrong');
  const traces = tracingInto({ ...sink, close: () => Promise.resolve() }, redactor).ofRun(program);
  const { result, events } = await runOnDisk(dot, { ...setup, onEvent: (event) => traces.onEvent(event) });
  traces.stop();
  return { result, events, spans: spans() };
}

const header = { timestamp: '2026-01-31T12:00:00.000Z', run_id: 'r', description: '' };

describe('the spans of a run', () => {
  it('are a tree: run, visits of stages, attempts', async () => {
    const dot = pipeline('a [max_retries=2]', 'start -> a -> exit');
    const { spans, result, events } = await traced(dot, {
      script: { a: [{ outcome: 'retry' }, { outcome: 'success' }] },
    });
    expect(treeOf(spans)).toEqual([
      'invoke_workflow G',
      '  stage start',
      '    attempt 1',
      '  invoke_agent a',
      '    attempt 1',
      '    attempt 2',
      '  stage exit',
      '    attempt 1',
    ]);
    expect(new Set(spans.map(({ trace }) => trace))).toEqual(new Set([traceIdOf(result.run_id)]));
    expect(new Set(spans.map(({ id }) => id)).size).toBe(spans.length);
    const [root] = spans;
    expect(root?.start).toBe(Date.parse(events[0]?.timestamp ?? ''));
    expect(root?.end).toBe(Date.parse(events.at(-1)?.timestamp ?? ''));
    expect(root?.attributes).toMatchObject({
      'gen_ai.operation.name': 'invoke_workflow',
      'gen_ai.workflow.name': 'G',
      'attractor.run.id': result.run_id,
      'attractor.run.status': 'success',
    });
    const failed = spans.filter(({ error }) => error !== undefined);
    expect(failed.map(({ name }) => name)).toEqual(['attempt 1']);
  });

  it('say what went wrong where something did', async () => {
    const { spans } = await traced(pipeline('start -> a -> exit'), {
      script: { a: { outcome: 'fail', failure_reason: 'no disk' } },
    });
    expect(spans.filter(({ error }) => error?.includes('no disk')).map(({ name }) => name)).toEqual([
      'invoke_workflow G',
      'invoke_agent a',
      'attempt 1',
    ]);
    expect(spans[0]?.attributes['attractor.run.status']).toBe('fail');
  });

  it('of branches are below those of the branches', async () => {
    const dot = pipeline(
      'all [shape=component]',
      'join [shape=tripleoctagon]',
      'start -> all',
      'all -> b',
      'all -> c',
      'b -> join',
      'c -> join',
      'join -> exit',
    );
    const { spans } = await traced(dot);
    const tree = treeOf(spans);
    for (const id of ['b', 'c']) {
      const place = tree.findIndex((line) => line.trim() === `branch ${id}`);
      expect(tree[place + 1]?.trim()).toBe(`invoke_agent ${id}`);
    }
    expect(spans.every(({ end }) => end !== undefined)).toBe(true);
  });

  it('of a run that is paused at a question end there', async () => {
    const dot = pipeline('gate [shape=hexagon]', 'start -> gate', 'gate -> exit [label="Yes"]');
    const { spans, result } = await traced(dot);
    expect(result.status).toBe('paused');
    expect(treeOf(spans)).toContain('      question gate');
    expect(spans[0]?.attributes['attractor.run.status']).toBe('paused');
    expect(spans.every(({ end }) => end !== undefined)).toBe(true);
  });

  it('of models and tools follow the conventions for generative AI, without what was said', () => {
    const { sink, spans } = recordingSink();
    const program = compile(pipeline('start -> a -> exit')).program;
    if (program === undefined) throw new Error('the pipeline is wrong');
    const traces = tracingInto({ ...sink, close: () => Promise.resolve() }, noRedactor).ofRun(program);
    const stage = { node_id: 'a', name: 'a', index: 1, attempt: 1, visit: 1 };
    const at = (seconds: number) => ({ ...header, timestamp: `2026-01-31T12:00:0${seconds}.000Z` });
    const bodies = [
      { ...at(0), type: 'PipelineStarted', name: 'G', id: 'r', goal: '', graph_hash: 'h', inputs: {} },
      { ...at(1), ...stage, type: 'StageStarted', fidelity: 'full', thread_id: 'main' },
      {
        ...{ ...at(3), ...stage, type: 'ModelUsed', provider: 'anthropic', model: 'claude' },
        usage: { requests: 1, input_tokens: 10, output_tokens: 5, cached_input_tokens: 4, cost_usd: 0.5 },
      },
      { ...at(4), ...stage, type: 'ToolCallStarted', call_id: 't1', tool: 'grep', input: { text: 'hush' } },
      {
        ...{ ...at(5), ...stage, type: 'ToolCallCompleted', call_id: 't1', tool: 'grep', success: false },
        ...{ output: 'hush', duration: 1000 },
      },
      {
        ...{ ...at(7), ...stage, type: 'ModelUsed', provider: '', model: '' },
        usage: { requests: 1, input_tokens: 1, output_tokens: 1 },
      },
    ] as const;
    for (const [index, body] of bodies.entries()) traces.onEvent({ ...body, seq: index + 1 } as RunEvent);
    traces.stop();
    expect(treeOf(spans())).toEqual([
      'invoke_workflow G',
      '  invoke_agent a',
      '    attempt 1',
      '      chat claude',
      '      execute_tool grep',
      '      chat',
    ]);
    const [, agent, , chat, tool, second] = spans();
    expect(agent?.attributes).toMatchObject({ 'gen_ai.agent.name': 'a', 'gen_ai.conversation.id': 'main' });
    expect(chat?.attributes).toMatchObject({
      'gen_ai.provider.name': 'anthropic',
      'gen_ai.request.model': 'claude',
      'gen_ai.usage.input_tokens': 10,
      'gen_ai.usage.output_tokens': 5,
      'gen_ai.usage.cache_read.input_tokens': 4,
      'attractor.usage.cost_usd': 0.5,
    });
    const lengthOf = (span: typeof chat) => (span?.end ?? 0) - (span?.start ?? 0);
    expect([chat, tool, second].map(lengthOf)).toEqual([2000, 1000, 2000]);
    expect(tool?.error).toBe('the tool "grep" failed');
    expect(JSON.stringify(spans())).not.toContain('hush');
  });

  it('have no secret', async () => {
    const redactor = makeRedactor([{ name: 'KEY', value: 'very-secret-value' }]);
    const dot = pipeline('start -> a -> exit');
    const script = { a: { outcome: 'fail', failure_reason: 'bad key very-secret-value' } };
    const { spans } = await traced(dot, { script }, redactor);
    expect(JSON.stringify(spans)).toContain('[redacted:KEY]');
    expect(JSON.stringify(spans)).not.toContain('very-secret-value');
  });

  it('of a run that a stage starts are below that stage, in one trace', async () => {
    const place = temporaryDirectory();
    mkdirSync(place, { recursive: true });
    writeFileSync(path.join(place, 'child.dot'), pipeline('start -> inner -> exit').replace('G', 'Child'));
    const dot = pipeline('sub [type=pipeline, child="child.dot"]', 'start -> sub -> exit');
    const { program, diagnostics } = compile(dot);
    if (program === undefined) throw new Error(JSON.stringify(diagnostics));
    const { sink, spans } = recordingSink();
    const traces = tracingInto({ ...sink, close: () => Promise.resolve() }, noRedactor).ofRun(program);
    await run(dot, {
      workingDirectory: place,
      onEvent: (event) => traces.onEvent(event),
      onChildEvent: (event, origin) => traces.onChildEvent(event, origin),
    });
    traces.stop();
    const tree = treeOf(spans());
    const found = tree.findIndex((line) => line.trim() === 'invoke_workflow Child');
    expect(found).toBeGreaterThan(0);
    expect(tree.slice(0, found).findLast((line) => line.startsWith('  ') && line[2] !== ' ')).toBe(
      '  stage sub',
    );
    expect(new Set(spans().map(({ trace }) => trace)).size).toBe(1);
  });
});
