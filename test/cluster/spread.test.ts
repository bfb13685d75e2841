import { describe, expect, test } from 'vitest';
import type { Stage } from '../../src/handlers/handler.js';
import type { Outcome } from '../../src/machine/outcome.js';
import { noUsage } from '../../src/machine/usage.js';
import { HandlerRegistry } from '../../src/run/driver/handler-registry.js';
import type { RunOptions } from '../../src/run/run.js';
import { sha256 } from '../../src/run-directory/sha256.js';
import { pipeline } from '../run/harness.js';
import { virtualStart } from '../support/virtual-clock.js';
import { submitted, type TestCluster } from './harness.js';
import { branches, died, someTurns, turns } from './spreading.js';

const success: Outcome = { status: 'success' };

function registry(execute: (stage: Stage) => Promise<Outcome>): HandlerRegistry {
  return new HandlerRegistry().register('codergen', { execute });
}

async function spread(
  execute: (stage: Stage) => Promise<Outcome>,
  dot = branches,
  options: RunOptions = {},
): Promise<TestCluster> {
  return submitted(dot, { handlers: registry(execute), spread: true, ...options });
}

/** Ids of the nodes whose stages went to other workers. */
function elsewhere({ stages }: TestCluster): readonly string[] {
  return [...(stages?.queued.values() ?? [])].map(({ request }) => request.effect.nodeId);
}

function settled({ engine }: TestCluster): readonly string[] {
  return engine.events.flatMap((event) =>
    event.type === 'StageCompleted' || event.type === 'StageFailed' ? [event.node_id] : [],
  );
}

/** Work that goes on until it is let go, or stopped. */
function held() {
  const begun: string[] = [];
  const stopped: unknown[] = [];
  let isOpen = false;
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return {
    begun,
    stopped,
    open() {
      isOpen = true;
      open();
    },
    async execute({ node, signal }: Stage): Promise<Outcome> {
      if (node.id !== 'one' && node.id !== 'two') return success;
      begun.push(node.id);
      if (isOpen) return success;
      await new Promise<void>((resolve, reject) => {
        void opened.then(resolve);
        signal.addEventListener('abort', () => {
          stopped.push(signal.reason.message);
          reject(signal.reason);
        });
      });
      return success;
    },
  };
}

describe('stages that other workers perform', () => {
  test('last as long as they work, however long they have waited for a worker', async () => {
    let now = virtualStart;
    const clock = { now: () => now, random: () => 0, sleep: () => new Promise<void>(() => undefined) };
    const execute = async ({ node }: Stage): Promise<Outcome> => {
      if (node.id === 'one') now += 3000;
      return success;
    };
    const cluster = await spread(execute, branches, { clock });
    const { stages } = cluster;
    if (stages === undefined) throw new Error('it is not spread');
    stages.onTake = () => false;
    const work = cluster.work();
    await turns(() => stages.queued.size === 2);
    now += 60_000;
    stages.onTake = () => true;
    for (const stage of stages.queued.values()) stages.take(stage);
    expect((await work).view.status).toBe('success');
    const [one] = cluster.engine.events.filter(
      (event) => event.type === 'StageCompleted' && event.node_id === 'one',
    );
    expect(one).toMatchObject({ duration: 3000 });
  });

  test('are those of branches', async () => {
    const cluster = await spread(async () => success);
    const { view } = await cluster.work();
    expect(view.status).toBe('success');
    expect(elsewhere(cluster)).toEqual(['one', 'two']);
  });

  test('are not those that ask first before they run again, continue a conversation, or are simulated', async () => {
    const dot = branches
      .replace("'one'", '')
      .replace(/^one$/m, 'one [idempotent=false]')
      .replace(/^two$/m, 'two [fidelity=full, thread_id=t]');
    const cluster = await spread(async () => success, dot);
    expect((await cluster.work()).view.status).toBe('success');
    const simulated = await spread(async () => success, branches, { simulate: true });
    expect((await simulated.work()).view.status).toBe('success');
    expect([...elsewhere(cluster), ...elsewhere(simulated)]).toEqual([]);
  });

  test('leave their files, artifacts and values to the run', async () => {
    const large = 'x'.repeat(150_000);
    const found: unknown[] = [];
    const cluster = await spread(async ({ node, writeFile, makeStageDirectory, artifacts, context }) => {
      if (node.id === 'after') found.push(artifacts.retrieve('notes'), context.get('large'));
      if (node.id !== 'one') return success;
      makeStageDirectory();
      writeFile('own.txt', 'left');
      artifacts.store('notes', 'notes', { of: 'one' });
      return { status: 'success', context_updates: { large } };
    });
    const { files, view } = await cluster.work();
    expect(view.status).toBe('success');
    expect(files.file('one/own.txt')).toMatchObject({ kind: 'stored', size: 4 });
    expect(found).toEqual([{ of: 'one' }, undefined]);
    const [result] = cluster.engine.events.flatMap((event) =>
      event.type === 'StageCompleted' && event.node_id === 'one' ? [event.outcome] : [],
    );
    expect(result?.artifacts).toEqual(expect.arrayContaining(['notes']));
  });

  test('are found again by the worker that takes their run over', async () => {
    const { begun, open, execute } = held();
    const cluster = await spread(execute);
    const first = cluster.work().catch(died);
    await turns(() => begun.length === 2);
    cluster.engine.die();
    const second = cluster.work();
    await turns(() => cluster.engine.events.some(({ type }) => type === 'PipelineResumed'));
    open();
    expect((await second).view.status).toBe('success');
    await first;
    expect(begun.toSorted()).toEqual(['one', 'two']);
    expect(settled(cluster).filter((id) => id === 'one' || id === 'two')).toHaveLength(2);
  });

  test('have ended when their run is taken over, and count', async () => {
    const { begun, open, execute } = held();
    const cluster = await spread(execute);
    const first = cluster.work().catch(died);
    await turns(() => begun.length === 2);
    cluster.engine.die();
    open();
    await turns(() =>
      [...(cluster.stages?.queued.values() ?? [])].every(({ ending }) => ending === 'settled'),
    );
    expect((await cluster.work()).view.status).toBe('success');
    await first;
    expect(begun).toHaveLength(2);
  });

  test('begin again where their worker dies, and come to one outcome', async () => {
    const { begun, open, execute } = held();
    const cluster = await spread(execute);
    const running = cluster.work();
    await turns(() => begun.length === 2);
    const [dead] = cluster.stages?.queued.values() ?? [];
    if (dead === undefined) throw new Error('nothing was queued');
    dead.hosted?.abandon();
    await turns(() => dead.hosted === undefined);
    cluster.stages?.take(dead);
    await turns(() => begun.length === 3);
    open();
    expect((await running).view.status).toBe('success');
    expect(begun.toSorted()).toEqual(['one', 'one', 'two']);
    expect(settled(cluster)).toHaveLength(8);
  });

  test('wait for a person when five workers have died of them', async () => {
    const { begun, execute } = held();
    const cluster = await spread(execute, branches.replace(/^two$/m, '').replace(/fan -> two.*/, ''));
    void cluster.work();
    await turns(() => begun.length === 1);
    const [stage] = cluster.stages?.queued.values() ?? [];
    if (stage === undefined) throw new Error('nothing was queued');
    for (let deaths = 1; deaths <= 5; deaths += 1) {
      stage.hosted?.abandon();
      await turns(() => stage.hosted === undefined);
      cluster.stages?.take(stage);
      if (deaths < 5) await turns(() => begun.length === deaths + 1);
    }
    await turns(() => cluster.engine.events.some(({ type }) => type === 'PipelinePaused'));
    const paused = cluster.engine.events.find((event) => event.type === 'PipelinePaused');
    expect(paused).toMatchObject({
      reason: expect.stringContaining(
        '5 workers have died, one after the other, while the stage "one" was running',
      ),
    });
    expect(begun).toHaveLength(5);
  });

  test.each(['pause', 'cancel'] as const)('stop with the %s of their run', async (kind) => {
    const { begun, stopped, execute } = held();
    const cluster = await spread(execute);
    void cluster.work();
    await turns(() => begun.length === 2);
    cluster.engine.send(
      kind === 'cancel' ? { kind, id: 'm' } : { kind, id: 'm', mode: 'now', reason: 'a person wants it' },
    );
    await turns(() => stopped.length === 2);
    const type = kind === 'cancel' ? 'PipelineCancelled' : 'PipelinePaused';
    await turns(() => cluster.engine.events.some((event) => event.type === type));
    expect(stopped[0]).toContain(kind === 'cancel' ? 'cancel' : 'a person wants it');
    expect(settled(cluster)).not.toContain('one');
  });

  test.each(['pause', 'cancel'] as const)('stop with the %s of a run whose worker dies', async (kind) => {
    const { begun, stopped, execute } = held();
    const cluster = await spread(execute);
    const { stages, engine } = cluster;
    if (stages === undefined) throw new Error('nothing was queued');
    stages.onOrder = () => new Promise(() => undefined);
    const first = cluster.work().catch(died);
    await turns(() => begun.length === 2);
    engine.send(
      kind === 'cancel' ? { kind, id: 'm' } : { kind, id: 'm', mode: 'now', reason: 'a person wants it' },
    );
    const type = kind === 'cancel' ? 'PipelineCancelled' : 'PipelinePaused';
    await turns(() => engine.events.some((event) => event.type === type));
    engine.die();
    expect(stopped).toEqual([]);
    stages.onOrder = async () => undefined;
    void cluster.work();
    await turns(() => [...stages.queued.values()].every(({ ending }) => ending === 'unsettled'));
    expect(stopped).toHaveLength(2);
    void first;
  });

  test('begin anew when their run is resumed after a pause', async () => {
    const { begun, stopped, open, execute } = held();
    const cluster = await spread(execute);
    const running = cluster.work();
    await turns(() => begun.length === 2);
    cluster.engine.send({ kind: 'pause', id: 'p', mode: 'now', reason: 'a person wants it' });
    await turns(() => stopped.length === 2);
    open();
    cluster.engine.send({ kind: 'resume', id: 'r' });
    expect((await running).view.status).toBe('success');
    expect(begun).toHaveLength(4);
    expect([...(cluster.stages?.queued.keys() ?? [])].map((id) => id.split('/').at(-1))).toEqual([
      '1',
      '1',
      '2',
      '2',
    ]);
  });

  test('count if they have ended before the order to stop them arrived, once their run is resumed', async () => {
    const { begun, open, execute } = held();
    const cluster = await spread(execute);
    const { stages, engine } = cluster;
    if (stages === undefined) throw new Error('nothing was queued');
    const areSettled = (): boolean => [...stages.queued.values()].every(({ ending }) => ending === 'settled');
    stages.onOrder = async () => {
      open();
      await turns(areSettled);
    };
    const running = cluster.work();
    await turns(() => begun.length === 2);
    engine.send({ kind: 'pause', id: 'p', mode: 'now', reason: 'a person wants it' });
    await turns(() => engine.events.some(({ type }) => type === 'PipelinePaused') && areSettled());
    engine.send({ kind: 'resume', id: 'r' });
    expect((await running).view.status).toBe('success');
    expect(begun).toHaveLength(2);
    expect(stages.reports).toEqual([]);
  });

  test('are left to the others by a worker that leaves, and begin there', async () => {
    const { begun, stopped, open, execute } = held();
    const cluster = await spread(execute);
    const running = cluster.work();
    await turns(() => begun.length === 2);
    const [stage] = cluster.stages?.queued.values() ?? [];
    if (stage === undefined) throw new Error('nothing was queued');
    for (let times = 1; times <= 6; times += 1) {
      stage.hosted?.leave();
      await turns(() => stage.hosted === undefined);
      cluster.stages?.take(stage);
      await turns(() => begun.length === times + 2);
    }
    open();
    expect((await running).view.status).toBe('success');
    expect(stopped).toHaveLength(6);
    expect(stage.steps.filter(({ kind }) => kind === 'left')).toHaveLength(6);
  });

  test('ask people, who answer the run', async () => {
    const cluster = await spread(async ({ node, ask }) => {
      if (node.id !== 'one') return success;
      const { value } = await ask({ type: 'FREEFORM', text: 'Which one?' });
      return { status: 'success', notes: String(value) };
    });
    const running = cluster.work();
    await turns(() => cluster.engine.events.some(({ type }) => type === 'InterviewStarted'));
    cluster.engine.send({ kind: 'answer', id: 'a', question: 'one', answer: 'this one' });
    expect((await running).view.status).toBe('success');
    expect(cluster.engine.events).toContainEqual(
      expect.objectContaining({
        type: 'StageCompleted',
        node_id: 'one',
        outcome: expect.objectContaining({ notes: 'this one' }),
      }),
    );
  });

  test('ask again after a pause, and an answer that came meanwhile counts', async () => {
    const cluster = await spread(async ({ node, ask }) => {
      if (node.id !== 'one') return success;
      const { value } = await ask({ key: 'ask1', type: 'FREEFORM', text: 'Which one?' });
      return { status: 'success', notes: String(value) };
    });
    const { engine } = cluster;
    const running = cluster.work();
    await turns(() => engine.events.some(({ type }) => type === 'InterviewStarted'));
    engine.send({ kind: 'pause', id: 'p', mode: 'now', reason: 'a person wants it' });
    await turns(() => engine.events.some(({ type }) => type === 'PipelinePaused'));
    engine.send({ kind: 'answer', id: 'a', question: 'one', answer: 'this one' });
    engine.send({ kind: 'resume', id: 'r' });
    expect((await running).view.status).toBe('success');
    const notes = engine.events.flatMap((event) =>
      event.type === 'StageCompleted' && event.node_id === 'one' ? [event.outcome.notes] : [],
    );
    expect(notes).toEqual(['this one']);
  });

  test('ask the worker that takes their run over, also if they have said more since', async () => {
    const cluster = await spread(async ({ node, ask, report }) => {
      if (node.id !== 'one') return success;
      const answer = ask({ type: 'FREEFORM', text: 'Which one?' });
      await turns(() => cluster.engine.events.some(({ type }) => type === 'InterviewStarted'));
      report({ kind: 'model_used', provider: 'p', model: 'm', usage: { ...noUsage, requests: 1 } });
      const { value } = await answer;
      return { status: 'success', notes: String(value) };
    });
    const { engine, stages } = cluster;
    const first = cluster.work().catch(died);
    await turns(() => engine.events.some(({ type }) => type === 'ModelUsed'));
    engine.die();
    const second = cluster.work();
    await turns(() => engine.events.some(({ type }) => type === 'PipelineResumed'));
    engine.send({ kind: 'answer', id: 'a', question: 'one', answer: 'this one' });
    expect((await second).view.status).toBe('success');
    expect(engine.events.filter(({ type }) => type === 'ModelUsed')).toHaveLength(1);
    expect(stages?.reports).toEqual([]);
    await first;
  });

  test('that are cancelled leave no files, also if their branch is at work again before the order arrives', async () => {
    const dot = pipeline(
      'fan [shape=component, join_policy=first_success]',
      'one',
      'two',
      'join [shape=tripleoctagon]',
      'check',
      'last',
      'start -> fan',
      'fan -> one -> join',
      'fan -> two -> join',
      'join -> check',
      'check -> fan [label=again]',
      'check -> last [label=enough]',
      'last -> exit',
    );
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const cluster = await spread(async ({ node, visit, signal, makeStageDirectory, writeFile }) => {
      const endsAtOnce = { one: visit > 1, two: visit === 1 }[node.id] ?? true;
      if (node.id === 'one') {
        makeStageDirectory();
        writeFile('response.md', `visit ${visit}`);
      }
      if (!endsAtOnce)
        await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      if (node.id === 'last') {
        release();
        const queued = [...(cluster.stages?.queued.values() ?? [])];
        await turns(() => queued.every(({ ending }) => ending !== undefined));
        await someTurns();
      }
      return { status: 'success', preferred_label: visit === 1 ? 'again' : 'enough' };
    }, dot);
    const { stages } = cluster;
    if (stages === undefined) throw new Error('nothing was queued');
    stages.onOrder = async ({ kind }) => (kind === 'abort' ? released : undefined);
    const { view, files } = await cluster.work();
    expect(view.status).toBe('success');
    expect(files.file('one/response.md')).toMatchObject({
      parts: [{ sha256: sha256('visit 2') }],
    });
  });

  /** Ways to say something to the run; each resolves when the stage may end. */
  const saying: readonly {
    readonly what: string;
    say(stage: Stage, isOver: () => boolean): Promise<unknown>;
  }[] = [
    {
      what: 'takes words',
      say({ steering }, isOver) {
        steering?.open();
        return turns(isOver);
      },
    },
    { what: 'asks', say: ({ ask }) => ask({ type: 'FREEFORM', text: 'Which one?' }) },
  ];

  test.each(saying)(
    'leave their latest artifacts to the worker that takes over a run whose stage $what',
    async ({ say }) => {
      const found: unknown[] = [];
      let isOver = false;
      const cluster = await spread(async (stage) => {
        const { node, artifacts, report } = stage;
        if (node.id === 'after') found.push(artifacts.retrieve('notes'));
        if (node.id !== 'one') return success;
        const mayEnd = say(stage, () => isOver);
        artifacts.store('notes', 'notes', 'first');
        await turns(() => cluster.stages?.reports.some(({ ending }) => ending === undefined) === true);
        artifacts.store('notes', 'notes', 'latest');
        report({ kind: 'model_used', provider: 'p', model: 'm', usage: { ...noUsage, requests: 1 } });
        await mayEnd;
        return success;
      });
      const { engine } = cluster;
      const first = cluster.work().catch(died);
      await turns(() => engine.events.some(({ type }) => type === 'ModelUsed'));
      engine.die();
      const second = cluster.work();
      await turns(() => engine.events.some(({ type }) => type === 'PipelineResumed'));
      await someTurns();
      isOver = true;
      engine.send({ kind: 'answer', id: 'a', question: 'one', answer: 'this one' });
      expect((await second).view.status).toBe('success');
      expect(found).toEqual(['latest']);
      await first;
    },
  );

  test('spend what their run has, and no more', async () => {
    const dot = branches.replace('digraph G {', 'digraph G {\ngraph [budget_tokens=100]');
    const requests: string[] = [];
    const cluster = await spread(async ({ node, report, checkBudget, sleep }) => {
      if (node.id !== 'one' && node.id !== 'two') return success;
      for (let request = 0; request < 20; request += 1) {
        checkBudget();
        requests.push(node.id);
        const usage = { ...noUsage, requests: 1, input_tokens: 10 };
        report({ kind: 'model_used', provider: 'p', model: 'm', usage });
        await sleep(1000);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      return success;
    }, dot);
    void cluster.work();
    await turns(() => cluster.engine.events.some(({ type }) => type === 'PipelinePaused'));
    const [paused] = cluster.engine.events.filter((event) => event.type === 'PipelinePaused');
    expect(paused).toMatchObject({ reason: expect.stringContaining('budget') });
    // What the others spend is told, and not asked for.
    expect(requests.length).toBeLessThan(30);
    const used = cluster.engine.events.filter(({ type }) => type === 'ModelUsed');
    expect(used).toHaveLength(requests.length);
  });
});

test.each([
  [
    'git=true',
    branches.replace('digraph G {', 'digraph G {\ngraph [placement=sticky]'),
    {},
    'placement=sticky',
  ],
  ['a recording', branches, { record: true }, '--record'],
])('a run with %s is not spread', async (_name, dot, options, reason) => {
  await expect(spread(async () => success, dot, options)).rejects.toThrow(reason);
});
