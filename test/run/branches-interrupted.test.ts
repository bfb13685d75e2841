import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Handler } from '../../src/handlers/handler.js';
import type { Question } from '../../src/machine/interview.js';
import { virtualClock } from '../support/virtual-clock.js';
import { eventsOf, pipeline, resumePipeline, runPipeline, type Setup, testEach } from './harness.js';

const fan = (attributes = '', ...more: readonly string[]) =>
  pipeline(
    `fan [shape=component${attributes && `, ${attributes}`}]; node [type=custom]; a; b; c; join`,
    'start -> fan; fan -> a -> join; fan -> b -> join; fan -> c -> join; join -> exit',
    ...more,
  );
const custom = (execute: Handler['execute']): Setup => ({ handlers: { custom: execute } });

/** Remembers which stages ran, in which attempt of the run, and succeeds at once. */
function counting(): { readonly ran: string[]; readonly setup: Setup } {
  const ran: string[] = [];
  const setup = custom(({ node }) => {
    ran.push(node.id);
    return { status: 'success' };
  });
  return { ran, setup };
}

/** Runs until it is told to stop. */
const endless: Handler['execute'] = ({ signal }) =>
  new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

describe('82: a limit that a branch meets', () => {
  const limits = [
    {
      name: 'max_visits',
      dot: fan('', 'b2 [max_visits=1]; b -> b2 [weight=1]; b2 -> b2 [weight=1]; b2 -> join'),
      node: 'b2',
    },
    { name: 'max_steps', dot: fan('', 'max_steps=1; b -> b2 [weight=1]; b2 -> join; b2'), node: 'b2' },
  ];
  testEach(limits, async ({ name, dot, node }) => {
    const { result, events } = await runPipeline(
      dot,
      custom((stage) =>
        stage.node.id === 'b' || stage.node.id === 'b2' ? { status: 'success' } : endless(stage),
      ),
    );
    expect(result).toMatchObject({
      status: 'fail',
      failed_node: node,
      failure_reason: expect.stringContaining(name),
    });
    expect(eventsOf(events, 'PipelineFailed')).toMatchObject([{ kind: 'limit', branch: 'b' }]);
    // The run ends as a whole; no branch is completed.
    expect(eventsOf(events, 'ParallelBranchCompleted')).toEqual([]);
  });

  test('resumed, all branches continue where they were', async () => {
    const dot = fan('', 'max_steps=1; b -> b2 [weight=1]; b2 -> join; b2');
    const { directory } = await runPipeline(
      dot,
      custom((stage) => (stage.node.id === 'b' ? { status: 'success' } : endless(stage))),
    );
    const { ran, setup } = counting();
    const { result, events } = await resumePipeline(directory, { ...setup, maxSteps: 20 });
    expect(result.status).toBe('success');
    expect([...ran].sort()).toEqual(['a', 'b2', 'c', 'join']);
    expect(
      eventsOf(events, 'StageStarted')
        .filter(({ resumed }) => resumed)
        .map(({ node_id }) => node_id)
        .sort(),
    ).toEqual(['a', 'c']);
    expect(eventsOf(events, 'ParallelBranchStarted')).toEqual([]);
  });
});

describe('§12 Graph attributes we add: the timeout of the run', () => {
  const dot = fan('', 'timeout=10s', 'a -> a2 [weight=1]; a2 -> join; a2');
  const slow =
    (id: string): Handler['execute'] =>
    (stage) =>
      stage.node.id === id ? endless(stage) : { status: 'success' };

  test('fails it, wherever its branches are; resumed, they continue with time of their own', async () => {
    const { directory, result, events } = await runPipeline(dot, custom(slow('a2')));
    expect(result).toMatchObject({
      status: 'fail',
      duration_ms: 10_000,
      failure_reason: expect.stringContaining('timeout after 10s'),
    });
    expect(eventsOf(events, 'PipelineFailed')).toMatchObject([{ kind: 'timeout' }]);
    const { ran, setup } = counting();
    const resumed = await resumePipeline(directory, setup);
    expect(resumed.result.status).toBe('success');
    expect(ran).toEqual(['a2', 'join']);
  });

  test('pauses do not count', async () => {
    const clock = virtualClock();
    const pausing = new AbortController();
    const { directory } = await runPipeline(dot, {
      clock,
      pauseSignal: pausing.signal,
      ...custom(async (stage) => {
        if (stage.node.id !== 'a2') return { status: 'success' };
        await stage.sleep(8000);
        pausing.abort({ mode: 'now', reason: 'lunch' });
        return endless(stage);
      }),
    });
    await clock.sleep(3_600_000);
    const { result } = await resumePipeline(directory, {
      clock,
      ...custom(async ({ sleep }) => {
        await sleep(500);
        return { status: 'success' };
      }),
    });
    expect(result.status).toBe('success');
  });

  test('what was worked before a pause does', async () => {
    const clock = virtualClock();
    const pausing = new AbortController();
    const { directory } = await runPipeline(dot, {
      clock,
      pauseSignal: pausing.signal,
      ...custom(async (stage) => {
        if (stage.node.id !== 'a2') return { status: 'success' };
        await stage.sleep(8000);
        pausing.abort({ mode: 'now', reason: 'lunch' });
        return endless(stage);
      }),
    });
    await clock.sleep(3_600_000);
    const { result, events } = await resumePipeline(directory, { clock, ...custom(endless) });
    expect(result.status).toBe('fail');
    const [began] = eventsOf(events, 'PipelineResumed');
    const [failed] = eventsOf(events, 'PipelineFailed');
    expect(Date.parse(failed?.timestamp ?? '') - Date.parse(began?.timestamp ?? '')).toBe(2000);
  });
});

describe('a pause with several branches', () => {
  /** `a` ends a second after the pause was asked for, `b` never, `c` waits for its next attempt. */
  const dot = fan('', 'a -> a2 [weight=1]; a2 -> join; a2', 'c [max_retries=1, retry_policy=patient]');

  test('after_stage: what runs comes to its end, nothing new begins', async () => {
    const pausing = new AbortController();
    const { directory, result, events } = await runPipeline(dot, {
      pauseSignal: pausing.signal,
      ...custom(async ({ node, sleep }) => {
        if (node.id === 'c') return { status: 'retry' };
        pausing.abort({ mode: 'after_stage', reason: 'enough' });
        await sleep(1000);
        return { status: 'success' };
      }),
    });
    expect(result).toMatchObject({
      status: 'paused',
      paused_reason: 'enough',
      completed_nodes: ['start', 'a', 'b'],
    });
    expect(eventsOf(events, 'PipelinePausing')).toMatchObject([{ reason: 'enough' }]);
    expect(eventsOf(events, 'ParallelBranchCompleted')).toEqual([]);
    const { ran, setup } = counting();
    const resumed = await resumePipeline(directory, setup);
    expect(resumed.result.status).toBe('success');
    expect([...ran].sort()).toEqual(['a2', 'c', 'join']);
  });

  test('now: what runs is stopped, and runs again', async () => {
    const pausing = new AbortController();
    const { directory, result } = await runPipeline(dot, {
      pauseSignal: pausing.signal,
      ...custom(async (stage) => {
        if (stage.node.id === 'a') return { status: 'success' };
        if (stage.node.id === 'c') await turn().then(() => pausing.abort({ mode: 'now', reason: 'enough' }));
        return endless(stage);
      }),
    });
    expect(result).toMatchObject({ status: 'paused', completed_nodes: ['start', 'a'] });
    const { ran, setup } = counting();
    const resumed = await resumePipeline(directory, setup);
    expect(resumed.result.status).toBe('success');
    expect([...ran].sort()).toEqual(['a2', 'b', 'c', 'join']);
    expect(resumed.result.visits).toMatchObject({ a: 1, a2: 1, b: 1, c: 1 });
  });

  test('30: the timeout of a parallel node starts over after it', async () => {
    const clock = virtualClock();
    const pausing = new AbortController();
    const { directory } = await runPipeline(fan('timeout=5s'), {
      clock,
      pauseSignal: pausing.signal,
      ...custom(async (stage) => {
        await turn();
        pausing.abort({ mode: 'now', reason: 'enough' });
        return endless(stage);
      }),
    });
    await clock.sleep(3_600_000);
    const { result } = await resumePipeline(directory, { clock, ...counting().setup });
    expect(result.status).toBe('success');
  });
});

describe('questions in branches', () => {
  const gates = pipeline(
    'fan [shape=component]; g [shape=hexagon, label="Ship?"]; h [shape=hexagon, label="Sure?"]; node [type=custom]; c; yes; no; fine; join',
    'start -> fan; fan -> g; fan -> h; fan -> c -> join; join -> exit',
    'g -> yes [label=Yes]; g -> no [label=No]; h -> fine [label=Fine]; yes -> join; no -> join; fine -> join',
  );
  const answer = (label: string) => ({ value: label, selected_option: { key: label[0] ?? '', label } });

  test('several are open at once, and each is answered for itself', async () => {
    const asked: Question[] = [];
    let both: () => void = () => undefined;
    const all = new Promise<void>((resolve) => {
      both = resolve;
    });
    const { result, events } = await runPipeline(gates, {
      ...counting().setup,
      interviewer: {
        ask: async (question) => {
          asked.push(question);
          if (asked.length === 2) both();
          await all;
          return answer(question.stage === 'g' ? 'No' : 'Fine');
        },
      },
    });
    expect(result.status).toBe('success');
    expect(result.path).toEqual(expect.arrayContaining(['no', 'fine']));
    expect(result.path).not.toContain('yes');
    expect(eventsOf(events, 'InterviewCompleted').map(({ stage, branch }) => [stage, branch])).toEqual([
      ['g', 'g'],
      ['h', 'h'],
    ]);
  });

  test('87: one that nobody answers waits while the others continue; resumed, it is asked again under the same id', async () => {
    const ids: string[] = [];
    const { ran, setup } = counting();
    const first = await runPipeline(gates, {
      ...setup,
      interviewer: {
        ask: async (question) => {
          if (question.stage === 'h') return answer('Fine');
          ids.push(question.id);
          return undefined;
        },
      },
    });
    expect(first.result).toMatchObject({ status: 'paused', waiting_node: 'g' });
    expect(ran.sort()).toEqual(['c', 'fine']);
    expect(
      eventsOf(first.events, 'ParallelBranchCompleted')
        .map(({ branch }) => branch)
        .sort(),
    ).toEqual(['c', 'h']);
    const second = await resumePipeline(first.directory, {
      ...setup,
      interviewer: {
        ask: async ({ id }) => {
          ids.push(id);
          return answer('Yes');
        },
      },
    });
    expect(second.result.status).toBe('success');
    expect(ids).toHaveLength(2);
    expect(ids[1]).toBe(ids[0]);
    expect(eventsOf(second.events, 'InterviewStarted')).toEqual([]);
    expect(ran.sort()).toEqual(['c', 'fine', 'join', 'yes']);
  });
});

test('97: values set at a resume reach the branches that are under way', async () => {
  const pausing = new AbortController();
  const { directory } = await runPipeline(fan(), {
    pauseSignal: pausing.signal,
    ...custom(async (stage) => {
      await turn();
      pausing.abort({ mode: 'now', reason: 'enough' });
      return endless(stage);
    }),
  });
  const seen: unknown[] = [];
  await resumePipeline(directory, {
    inputs: { n: 3 },
    ...custom(({ context }) => {
      seen.push(context.get('n'));
      return { status: 'success' };
    }),
  });
  expect(seen).toEqual([3, 3, 3, 3]);
});
