import { expect, test } from 'vitest';
import { systemClock } from '../../src/run/driver/clock.js';
import { HandlerRegistry } from '../../src/run/driver/handler-registry.js';
import { pipeline } from '../run/harness.js';
import { submitted, type TestCluster } from './harness.js';

const gate = pipeline('g [shape=hexagon]', 'a', 'start -> g', 'g -> a [label="[Y] Yes"]', 'a -> exit');
const branches = pipeline(
  'fork [shape=component]',
  'g [shape=hexagon]',
  'h [shape=hexagon]',
  'a',
  'join [shape=tripleoctagon]',
  'start -> fork',
  'fork -> g',
  'fork -> h',
  'g -> a [label="[Y] Yes"]',
  'a -> join',
  'h -> join [label="[Y] Yes"]',
  'join -> exit',
);

function cluster(dot: string): Promise<TestCluster> {
  const handlers = new HandlerRegistry().register('codergen', {
    async execute({ node, ask }) {
      if (node.id === 'asks') await ask({ text: 'May I?', type: 'FREEFORM', options: [] });
      return { status: 'success' };
    },
  });
  // A virtual clock lets no branch take its turn while a person is asked.
  return submitted(dot, { handlers, clock: systemClock });
}

/** Works on a run, and answers one question whenever it is released, or has recorded something. */
async function work({ engine, ...given }: TestCluster, answersWhen: 'released' | 'recorded') {
  const counts = { lives: 0, releases: 0 };
  const done = new Set<string>();
  const answer = (): void => {
    const asked = engine.events.flatMap((event) => (event.type === 'InterviewStarted' ? [event] : []));
    const next = asked.find(({ question: { id } }) => !done.has(id))?.question.id;
    if (next === undefined) return;
    done.add(next);
    engine.send({ kind: 'answer', id: next, question: next, answer: 'Y' });
  };
  if (answersWhen === 'recorded') engine.onRecorded = answer;
  const history = await given.work({
    releaseMs: answersWhen === 'released' ? 1 : 60_000,
    onLive: () => {
      counts.lives += 1;
    },
    onRelease: () => {
      counts.releases += 1;
      answer();
    },
  });
  return { status: history.view.status, ...counts };
}

test.each([
  ['a gate', gate, 1],
  ['gates of branches', branches, 2],
])(
  'a run that only waits at %s is released, and continues as if it had not been',
  async (_name, dot, times) => {
    const [kept, released] = [await cluster(dot), await cluster(dot)];
    expect(await work(kept, 'recorded')).toEqual({ status: 'success', lives: 1, releases: 0 });
    expect(await work(released, 'released')).toEqual({
      status: 'success',
      lives: times + 1,
      releases: times,
    });
    // Branches take turns.
    const types = ({ engine }: TestCluster): readonly string[] =>
      engine.events.map(({ type }) => type).sort();
    expect(types(released)).toEqual(types(kept));
  },
);

test.each([
  ['a stage that works asks', pipeline('asks', 'start -> asks -> exit')],
  [
    'a gate answers itself after a time',
    gate.replace('shape=hexagon', 'shape=hexagon, timeout="1h", human.default_choice=Y'),
  ],
  ['the run has a time limit', gate.replace('{', '{ timeout="1h"\n')],
])('a run is not released where %s', async (_name, dot) => {
  const { engine, ...run } = await cluster(dot);
  let releases = 0;
  const working = run.work({
    releaseMs: 1,
    onRelease: () => {
      releases += 1;
    },
  });
  await until(() => engine.events.some(({ type }) => type === 'InterviewStarted'));
  await new Promise((resolve) => setTimeout(resolve, 20));
  for (const event of engine.events)
    if (event.type === 'InterviewStarted')
      engine.send({ kind: 'answer', id: 'one', question: event.question.id, answer: 'Y' });
  expect((await working).view.status).toBe('success');
  expect(releases).toBe(0);
});

test.each([
  ['', undefined],
  [', after segments', 1],
])('a paused run is released too, and another worker finds it as it was%s', async (_name, segmentInputs) => {
  const { engine, ...run } = await cluster(gate);
  const releases: string[] = [];
  void run.work({ releaseMs: 1, segmentInputs, onRelease: () => releases.push('first') });
  await until(() => releases.length === 1);
  engine.send({ kind: 'pause', id: 'pause', mode: 'now', reason: 'lunch' });
  await until(() => releases.length === 2);
  const steps = engine.batches.length;
  engine.die();
  const second = run.work({ releaseMs: 1, segmentInputs, onRelease: () => releases.push('second') });
  await until(() => releases.length === 3);
  expect(engine.batches.length).toBe(steps);
  engine.send({ kind: 'resume', id: 'resume' });
  await until(() => releases.length === 4);
  engine.send({ kind: 'answer', id: 'answer', question: 'g', answer: 'Y' });
  const { view, receipts } = await second;
  expect(view.status).toBe('success');
  expect([...receipts.values()].map(({ refusal }) => refusal)).toEqual([undefined, undefined, undefined]);
});

async function until(isReached: () => boolean): Promise<void> {
  while (!isReached()) await new Promise((resolve) => setImmediate(resolve));
}
