import { describe, expect, test } from 'vitest';
import type { Handler } from '../../src/handlers/handler.js';
import { eventsOf, pipeline, resumePipeline, runPipeline, type Setup } from './harness.js';

const dot = (attributes = '') => pipeline(`a [type=custom${attributes}]`, 'start -> a -> exit');
const custom = (execute: Handler['execute']): Setup => ({ handlers: { custom: execute } });

describe('§12 Node attributes we add: idempotent=false, a stage that must not simply run again', () => {
  const cutOff = async () => {
    const pausing = new AbortController();
    const run = await runPipeline(dot(', idempotent=false'), {
      pauseSignal: pausing.signal,
      ...custom(({ signal }) => {
        setImmediate(() => pausing.abort({ mode: 'now', reason: 'interrupted' }));
        return new Promise((_resolve, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason)),
        );
      }),
    });
    expect(run.result.status).toBe('paused');
    return run.directory;
  };
  const executed: number[] = [];
  const counted = custom(() => {
    executed.push(1);
    return { status: 'success', notes: 'ran' };
  });

  test('resuming asks, and does nothing until it is answered', async () => {
    executed.length = 0;
    const { result, events } = await resumePipeline(await cutOff(), counted);
    expect(result).toMatchObject({ status: 'paused', waiting_node: 'a' });
    expect(eventsOf(events, 'InterviewStarted')[0]?.question.options.map(({ key }) => key)).toEqual([
      'R',
      'D',
      'F',
    ]);
    expect(executed).toEqual([]);
  });

  test('who does not answer at first is asked again, and may answer then', async () => {
    executed.length = 0;
    const directory = await cutOff();
    expect((await resumePipeline(directory, counted)).result.status).toBe('paused');
    const { result } = await resumePipeline(directory, { ...counted, answers: { a: 'D' } });
    expect(result.status).toBe('success');
    expect(executed).toEqual([]);
  });

  test.each([
    ['R', 'success', 1],
    ['D', 'success', 0],
    ['F', 'fail', 0],
  ])('the answer %s: the run ends in %s after %i more executions', async (key, status, times) => {
    executed.length = 0;
    const interviewer = {
      ask: () => Promise.resolve({ value: key, selected_option: { key, label: '' } }),
    };
    const { result } = await resumePipeline(await cutOff(), { ...counted, interviewer });
    expect(result).toMatchObject({
      status,
      path: status === 'fail' ? ['start', 'a'] : ['start', 'a', 'exit'],
    });
    expect(executed).toHaveLength(times);
  });

  test('a run that approves everything is not an exception, a simulation is', async () => {
    executed.length = 0;
    const directory = await cutOff();
    const { result } = await resumePipeline(directory, { ...counted, autoApprove: true });
    expect(result).toMatchObject({ status: 'paused', waiting_node: 'a' });
    expect(executed).toEqual([]);
    const person = { ask: () => Promise.resolve({ value: 'D' }) };
    const asked = await resumePipeline(directory, { ...counted, autoApprove: true, interviewer: person });
    expect(asked.result.status).toBe('success');
    expect(executed).toEqual([]);
    const pretended = await resumePipeline(await cutOff(), { ...counted, simulate: true });
    expect(pretended.result.status).toBe('success');
  });

  test('a pause between attempts is no such case', async () => {
    const text = dot(', idempotent=false, max_retries=1');
    const pausing = new AbortController();
    const { directory } = await runPipeline(text, {
      pauseSignal: pausing.signal,
      onEvent: ({ type }) => {
        if (type === 'StageRetrying') pausing.abort({ mode: 'now', reason: 'interrupted' });
      },
      ...custom(() => ({ status: 'retry' })),
    });
    expect((await resumePipeline(directory, counted)).result.status).toBe('success');
  });
});
