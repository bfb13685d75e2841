import { describe, expect, test } from 'vitest';
import { RunHistory } from '../../src/cluster/run-history.js';
import type { BackendCall, CodergenBackend } from '../../src/handlers/codergen-backend.js';
import type { Progress } from '../../src/machine/progress.js';
import { noUsage } from '../../src/machine/usage.js';
import { readConversation } from '../../src/run-directory/conversation-file.js';
import { submitted, type TestCluster } from './harness.js';
import type { QueuedStage } from './memory-stages.js';
import { branches, died, someTurns, turns } from './spreading.js';

type Moment = 'before its files are kept' | 'while it is asked';

/** A model that answers after some turns; of each it is noted when it was asked for, as `<node>: <turn>`. */
class TalkingModel {
  readonly asked: string[] = [];
  /** Called twice in each turn, which waits for the result. */
  onMoment: (turn: string, moment: Moment, call: BackendCall) => Promise<void> = async () => undefined;

  get backend(): CodergenBackend {
    return {
      run: async (node, _prompt, _context, call) => {
        if (node.id !== 'one' && node.id !== 'two') return 'done';
        const { conversation } = call;
        if (conversation === undefined) throw new Error('there is no conversation');
        const { earlier } = conversation;
        await conversation.begin({ backend: 'ai', continues: earlier !== undefined, recordsTurns: true });
        const known = earlier?.entries.filter(({ kind }) => kind === 'assistant').length ?? 0;
        for (let turn = known; turn < 4; turn += 1) {
          await this.onMoment(`${node.id}: ${turn}`, 'before its files are kept', call);
          call.signal.throwIfAborted();
          await conversation.kept();
          this.asked.push(`${node.id}: ${turn}`);
          await this.onMoment(`${node.id}: ${turn}`, 'while it is asked', call);
          call.signal.throwIfAborted();
          const usage = { ...noUsage, requests: 1, input_tokens: 10 };
          call.report({ kind: 'model_used', provider: 'p', model: 'm', usage });
          conversation.add({ kind: 'assistant', content: [{ type: 'text', text: `turn ${turn}` }] });
        }
        return 'answered';
      },
    };
  }

  /** Lets it wait until it is stopped. @returns when it waits, and the other stage has ended */
  async stopAt(turn: string, at: Moment): Promise<void> {
    let isWaiting = false;
    this.onMoment = async (begun, moment, { signal }) => {
      if (begun !== turn || moment !== at || signal.aborted) return;
      isWaiting = true;
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    };
    await turns(() => isWaiting && this.asked.includes('two: 3'));
    this.onMoment = async () => undefined;
  }
}

function hasEvent({ engine }: TestCluster, type: string): boolean {
  return engine.events.some((event) => event.type === type);
}

async function paused(cluster: TestCluster): Promise<void> {
  cluster.engine.send({ kind: 'pause', id: 'p', mode: 'now', reason: 'a person wants it' });
  await turns(() => hasEvent(cluster, 'PipelinePaused'));
}

function stageOne({ stages }: TestCluster): QueuedStage {
  const found = [...(stages?.queued.values() ?? [])].find(({ request }) => request.effect.nodeId === 'one');
  if (found === undefined) throw new Error('it was not queued');
  return found;
}

/** Ends the worker that has the first stage. */
async function killed(cluster: TestCluster): Promise<QueuedStage> {
  const stage = stageOne(cluster);
  stage.hosted?.abandon();
  await turns(() => stage.hosted === undefined);
  return stage;
}

interface Interruption {
  readonly what: string;
  readonly at: Moment;
  /** What happens, until the run may be resumed, if it has to be. */
  readonly happens: (cluster: TestCluster) => Promise<void>;
}

const interruptions: readonly Interruption[] = [
  { what: 'its run was paused during a request', at: 'while it is asked', happens: paused },
  { what: 'its run was paused between two requests', at: 'before its files are kept', happens: paused },
  {
    what: 'its worker has died',
    at: 'while it is asked',
    happens: async (cluster) => cluster.stages?.take(await killed(cluster)),
  },
  {
    what: 'its worker has died, and its run was paused before another one had it',
    at: 'while it is asked',
    async happens(cluster) {
      await killed(cluster);
      await paused(cluster);
    },
  },
  {
    what: 'its worker has left',
    at: 'before its files are kept',
    async happens(cluster) {
      const stage = stageOne(cluster);
      stage.hosted?.leave();
      await turns(() => stage.hosted === undefined);
      cluster.stages?.take(stage);
    },
  },
];

const pauses = [
  { what: 'a person wants it', happens: paused, kept: ['turn 0', 'turn 1'] },
  {
    what: 'five workers have died of it',
    kept: ['turn 0'],
    async happens(cluster: TestCluster): Promise<void> {
      for (let deaths = 1; deaths <= 5; deaths += 1) cluster.stages?.take(await killed(cluster));
    },
  },
];

describe('a model on another worker continues its conversation', () => {
  test.each(interruptions)('if $what', async ({ at, happens }) => {
    const model = new TalkingModel();
    const cluster = await submitted(branches, { backend: model.backend, spread: true });
    const waits = model.stopAt('one: 2', at);
    const running = cluster.work();
    await waits;
    await happens(cluster);
    if (hasEvent(cluster, 'PipelinePaused')) cluster.engine.send({ kind: 'resume', id: 'r' });
    expect((await running).view.status).toBe('success');
    const again = at === 'while it is asked' ? ['one: 2'] : [];
    const each = ['one: 0', 'one: 1', 'one: 2', 'one: 3', 'two: 0', 'two: 1', 'two: 2', 'two: 3'];
    expect(model.asked.toSorted()).toEqual([...each, ...again].toSorted());
    expect(cluster.engine.events.filter(({ type }) => type === 'ModelUsed')).toHaveLength(8);
  });

  test('and what it reports when it is stopped counts after the pause, in its order', async () => {
    const model = new TalkingModel();
    const cluster = await submitted(branches, { backend: model.backend, spread: true });
    let isWaiting = false;
    model.onMoment = async (turn, moment, call) => {
      if (isWaiting || turn !== 'one: 2' || moment !== 'while it is asked') return;
      isWaiting = true;
      await new Promise<void>((resolve) => call.signal.addEventListener('abort', () => resolve()));
      call.report({ kind: 'tool_call_started', call_id: 'c', tool: 'look', input: {} });
      const usage = { ...noUsage, requests: 1, input_tokens: 5 };
      call.report({ kind: 'model_used', provider: 'p', model: 'm', usage });
    };
    const running = cluster.work();
    await turns(() => isWaiting && model.asked.includes('two: 3'));
    await paused(cluster);
    await someTurns();
    cluster.engine.send({ kind: 'resume', id: 'r' });
    const { view } = await running;
    expect(view.status).toBe('success');
    expect(view.usage.total.input_tokens).toBe(8 * 10 + 5);
    const of = (type: string) => cluster.engine.events.filter((event) => event.type === type);
    expect([of('ModelUsed').length, of('ToolCallStarted').length]).toEqual([9, 1]);
  });

  test('if the worker of its run has died before it could stop the stage', async () => {
    const model = new TalkingModel();
    const cluster = await submitted(branches, { backend: model.backend, spread: true });
    const { stages, engine } = cluster;
    if (stages === undefined) throw new Error('nothing was queued');
    stages.onOrder = () => new Promise(() => undefined);
    const waits = model.stopAt('one: 2', 'while it is asked');
    const first = cluster.work().catch(died);
    await waits;
    await paused(cluster);
    engine.die();
    stages.onOrder = async () => undefined;
    const second = cluster.work();
    await turns(() => stageOne(cluster).ending === 'unsettled');
    engine.send({ kind: 'resume', id: 'r' });
    expect((await second).view.status).toBe('success');
    expect(model.asked.filter((turn) => turn === 'one: 1')).toHaveLength(1);
    void first;
  });

  test.each(pauses)('that its run has while it is paused, if $what', async ({ happens, kept }) => {
    const model = new TalkingModel();
    const cluster = await submitted(branches, { backend: model.backend, spread: true });
    const waits = model.stopAt('one: 2', 'before its files are kept');
    void cluster.work();
    await waits;
    await happens(cluster);
    await turns(
      () => hasEvent(cluster, 'PipelinePaused') && conversationOf(cluster, 'one').length === kept.length,
    );
    expect(conversationOf(cluster, 'one')).toEqual(kept);
  });
});

/** Turns of a conversation that the history of the run has. */
function conversationOf({ submission, engine, store }: TestCluster, node: string): readonly string[] {
  const history = new RunHistory(submission);
  for (const batch of engine.batches) history.add(batch);
  const file = history.files.file(`${node}/conversation.jsonl`);
  const parts = file?.kind === 'stored' ? file.parts : [];
  const text = Buffer.concat(parts.map(({ sha256 }) => store.contents.get(sha256) ?? new Uint8Array()));
  return readConversation(text).entries.flatMap((entry) =>
    entry.kind === 'assistant' ? entry.content.map((part) => String(part.text)) : [],
  );
}

/** True if a stage has reported progress of a kind. */
function hasReported({ stages, engine }: TestCluster, kind: Progress['kind'], event: string): boolean {
  const reports = stages?.reports ?? [];
  const isWaiting = reports.some(({ inputs }) =>
    inputs.some((input) => input.kind === 'stage_progress' && input.progress.kind === kind),
  );
  return isWaiting || engine.events.some(({ type }) => type === event);
}

interface AgentAct {
  readonly what: string;
  readonly kind: Progress['kind'];
  readonly event: string;
  act(call: BackendCall): void;
}

const agentActs: readonly AgentAct[] = [
  {
    what: 'its session has begun',
    kind: 'session_started',
    event: 'SessionStarted',
    act: ({ report }) => report({ kind: 'session_started', backend: 'agent', session_id: 's1' }),
  },
  {
    what: 'it has heard words',
    kind: 'steering_delivered',
    event: 'SteeringDelivered',
    act: ({ report }) => report({ kind: 'steering_delivered', steering_id: 's' }),
  },
  {
    what: 'it has used a model',
    kind: 'model_used',
    event: 'ModelUsed',
    act: ({ report }) =>
      report({ kind: 'model_used', provider: 'p', model: 'm', usage: { ...noUsage, requests: 1 } }),
  },
];

test.each(agentActs)('an agent on another worker continues its conversation after $what', async (acts) => {
  const continues: boolean[] = [];
  const backend: CodergenBackend = {
    run: async (node, _prompt, _context, call) => {
      const { conversation, signal } = call;
      if (node.id !== 'one') return 'done';
      const isLater = conversation?.earlier !== undefined;
      continues.push(isLater);
      await conversation?.begin({ backend: 'agent', continues: isLater, recordsTurns: false });
      if (continues.length > 1) return 'answered';
      acts.act(call);
      await turns(() => signal.aborted);
      throw signal.reason;
    },
  };
  const cluster = await submitted(branches, { backend, spread: true });
  const running = cluster.work();
  await turns(() => hasReported(cluster, acts.kind, acts.event));
  cluster.stages?.take(await killed(cluster));
  expect((await running).view.status).toBe('success');
  expect(continues).toEqual([false, true]);
});

test('an agent that asks for its words to be kept has its turns kept too', async () => {
  const found: (string | undefined)[] = [];
  const backend: CodergenBackend = {
    run: async (node, _prompt, _context, { conversation, report, signal }) => {
      if (node.id !== 'one' || conversation === undefined) return 'done';
      const { earlier } = conversation;
      found.push(earlier?.entries.at(-1)?.kind);
      await conversation.begin({ backend: 'agent', continues: earlier !== undefined, recordsTurns: false });
      if (found.length > 1) return 'answered';
      conversation.add({ kind: 'person', text: 'Use PostgreSQL.', steering_id: 's' });
      await conversation.kept();
      conversation.add({ kind: 'assistant', content: [{ type: 'text', text: 'turn 1' }] });
      report({ kind: 'model_used', provider: 'p', model: 'm', usage: { ...noUsage, requests: 1 } });
      await turns(() => signal.aborted);
      throw signal.reason;
    },
  };
  const cluster = await submitted(branches, { backend, spread: true });
  const running = cluster.work();
  await turns(() => hasReported(cluster, 'model_used', 'ModelUsed'));
  cluster.stages?.take(await killed(cluster));
  expect((await running).view.status).toBe('success');
  expect(found).toEqual([undefined, 'usage']);
});

const words = { kind: 'steer', id: 's', stage: 'one', text: 'Use PostgreSQL.', by: 'Ann' } as const;

/** Receipt of those words. */
async function receipt({ engine }: TestCluster): Promise<string | undefined> {
  const receipts = () => engine.batches.flatMap(({ receipts: all = [] }) => all);
  await turns(() => receipts().some(({ id }) => id === words.id));
  return receipts().find(({ id }) => id === words.id)?.refusal;
}

/** A model of one stage, which waits for words. */
class ListeningModel {
  /** Words that it got, each as often as it got them. */
  readonly heard: string[] = [];
  begun = 0;
  /** False as long as it looks for no words. */
  listens = true;
  /** False as long as it works on after it has heard words. */
  answers = true;
  onHeard: (call: BackendCall) => void = () => undefined;
  refusal: string | undefined;

  get backend(): CodergenBackend {
    return {
      run: async (node, _prompt, _context, call) => {
        const { steering, signal } = call;
        if (node.id !== 'one') return 'done';
        if (this.refusal === undefined) steering?.open();
        else steering?.refuse(this.refusal);
        this.begun += 1;
        await turns(() => signal.aborted || (this.#hears(call) && this.answers));
        signal.throwIfAborted();
        return 'answered';
      },
    };
  }

  #hears(call: BackendCall): boolean {
    const { steering } = call;
    const waiting = this.listens ? (steering?.waiting ?? []) : [];
    for (const { id, text, by } of waiting) {
      this.heard.push(`${by}: ${text}`);
      steering?.delivered(id);
      this.onHeard(call);
    }
    return waiting.length > 0;
  }
}

/** A run whose first stage is at work, and takes words. */
async function listening(
  model: ListeningModel,
): Promise<{ cluster: TestCluster; running: Promise<unknown> }> {
  const cluster = await submitted(branches, { backend: model.backend, spread: true });
  const running = cluster.work().catch(died);
  await turns(() => cluster.stages?.reports.some(({ steering }) => steering === 'open') === true);
  return { cluster, running };
}

function journaled({ engine }: TestCluster): readonly unknown[] {
  return engine.events.flatMap((event) => {
    if (event.type === 'StageSteered') return [`said by ${event.by}: ${event.text}`];
    return event.type === 'SteeringDelivered' ? ['delivered'] : [];
  });
}

const once = ['said by Ann: Use PostgreSQL.', 'delivered'];

describe('words of a person to a model on another worker', () => {
  test('reach it, and are in the journal', async () => {
    const model = new ListeningModel();
    const { cluster, running } = await listening(model);
    cluster.engine.send(words);
    await running;
    expect(await receipt(cluster)).toBeUndefined();
    expect(model.heard).toEqual(['Ann: Use PostgreSQL.']);
    expect(journaled(cluster)).toEqual(once);
  });

  test('are heard by the next worker if the one that had the stage has died', async () => {
    const model = new ListeningModel();
    model.listens = false;
    const { cluster, running } = await listening(model);
    cluster.engine.send(words);
    await turns(() => (stageOne(cluster).orders.at(-1)?.kind ?? '') === 'say');
    const stage = await killed(cluster);
    model.listens = true;
    cluster.stages?.take(stage);
    await running;
    expect(model.heard).toEqual(['Ann: Use PostgreSQL.']);
    expect(journaled(cluster)).toEqual(once);
  });

  test('that a model has heard are not heard again by the next worker', async () => {
    const model = new ListeningModel();
    model.answers = false;
    model.onHeard = ({ report }) =>
      report({ kind: 'model_used', provider: 'p', model: 'm', usage: { ...noUsage, requests: 1 } });
    const { cluster, running } = await listening(model);
    cluster.engine.send(words);
    await turns(() => journaled(cluster).length === 2);
    const stage = await killed(cluster);
    cluster.stages?.take(stage);
    await turns(() => model.begun === 2);
    await someTurns();
    model.answers = true;
    cluster.engine.send({ ...words, id: 's2', text: 'And an index.' });
    await running;
    expect(model.heard).toEqual(['Ann: Use PostgreSQL.', 'Ann: And an index.']);
  });

  test('are passed on by the worker that takes the run over, which takes further ones', async () => {
    const model = new ListeningModel();
    model.listens = false;
    const { cluster } = await listening(model);
    const { stages, engine } = cluster;
    if (stages === undefined) throw new Error('nothing was queued');
    stages.onOrder = () => new Promise(() => undefined);
    engine.send(words);
    await receipt(cluster);
    engine.die();
    stages.onOrder = async () => undefined;
    const second = cluster.work();
    await turns(() => stageOne(cluster).orders.some(({ kind }) => kind === 'say'));
    engine.send({ ...words, id: 's2', text: 'And an index.' });
    await turns(() => stageOne(cluster).orders.filter(({ kind }) => kind === 'say').length === 2);
    model.listens = true;
    expect((await second).view.status).toBe('success');
    expect(model.heard).toEqual(['Ann: Use PostgreSQL.', 'Ann: And an index.']);
    expect(model.begun).toBe(1);
  });

  test('reach it in their order, also if the first takes longer on its way', async () => {
    const model = new ListeningModel();
    model.listens = false;
    const { cluster, running } = await listening(model);
    const { stages, engine } = cluster;
    if (stages === undefined) throw new Error('nothing was queued');
    let arrive: () => void = () => undefined;
    const arrived = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    stages.onOrder = async (order) =>
      order.kind === 'say' && order.words.id === words.id ? arrived : undefined;
    engine.send(words);
    engine.send({ ...words, id: 's2', text: 'And an index.' });
    await turns(() => journaled(cluster).length === 2);
    await someTurns();
    arrive();
    await turns(() => stageOne(cluster).orders.filter(({ kind }) => kind === 'say').length === 2);
    model.listens = true;
    await running;
    expect(model.heard).toEqual(['Ann: Use PostgreSQL.', 'Ann: And an index.']);
  });

  test('that were not heard before a pause are heard after it', async () => {
    const model = new ListeningModel();
    model.listens = false;
    const { cluster, running } = await listening(model);
    cluster.engine.send(words);
    await receipt(cluster);
    await paused(cluster);
    model.listens = true;
    cluster.engine.send({ kind: 'resume', id: 'r' });
    await running;
    expect(model.heard).toEqual(['Ann: Use PostgreSQL.']);
    expect(journaled(cluster)).toEqual(once);
  });

  test('are refused with the reason of its backend', async () => {
    const model = new ListeningModel();
    model.refusal = 'it reads its prompt once';
    const cluster = await submitted(branches, { backend: model.backend, spread: true });
    void cluster.work();
    await turns(() => cluster.stages?.reports.some(({ steering }) => steering !== undefined) === true);
    cluster.engine.send(words);
    expect(await receipt(cluster)).toBe('it reads its prompt once');
    expect(journaled(cluster)).toEqual([]);
  });

  test('are refused as long as no worker has the stage', async () => {
    const model = new ListeningModel();
    const cluster = await submitted(branches, { backend: model.backend, spread: true });
    const { stages } = cluster;
    if (stages === undefined) throw new Error('nothing was queued');
    stages.onTake = () => false;
    void cluster.work();
    await turns(() => stages.queued.size > 0);
    cluster.engine.send(words);
    expect(await receipt(cluster)).toContain('"one" takes no words now: it waits for a worker (--spread)');
    expect(journaled(cluster)).toEqual([]);
  });
});
