import { describe, expect, it } from 'vitest';
import { choose } from '../../../src/web/simulator/choose.js';
import { contextChanges } from '../../../src/web/simulator/context-changes.js';
import { explainRoutes } from '../../../src/web/simulator/explain-route.js';
import { extendHistory, move, present } from '../../../src/web/simulator/history.js';
import { nextDeadline } from '../../../src/web/simulator/next-deadline.js';
import {
  emptyForm,
  type OutcomeForm,
  readOutcomeForm,
} from '../../../src/web/simulator/read-outcome-form.js';
import { runOn } from '../../../src/web/simulator/run-on.js';
import type { Choice, Simulation } from '../../../src/web/simulator/simulation.js';
import { fork, pipeline } from '../../run/harness.js';
import { begun, chosen } from './harness.js';

// DESIGN §2: the simulator of the page feeds the state machine of every run, one choice at a time.

const outcome = (cursor: string, entry: Extract<Choice, { kind: 'outcome' }>['entry']): Choice => ({
  kind: 'outcome',
  cursor,
  entry,
});

const waitingAt = ({ pending }: Simulation): readonly string[] =>
  pending.flatMap((one) => (one.kind === 'run_timer' ? [] : [`${one.kind} ${nodeOf(one.effect)}`]));

const nodeOf = (effect: object): string => ('nodeId' in effect ? String(effect.nodeId) : '');

describe('why control went where it went (§3.3)', () => {
  const cases: readonly (readonly [
    name: string,
    dot: string,
    Choice,
    why: string,
    ways: readonly string[],
  ])[] = [
    [
      'a condition, with the values that it saw',
      fork('condition="context.n > 1"', 'condition="context.n <= 1"'),
      outcome('', { outcome: 'success', context_updates: { n: 2 } }),
      'The condition context.n > 1 holds.',
      ['b: holds: context.n>1 (context.n is 2)', 'c: does not hold: context.n<=1 (context.n is 2)'],
    ],
    [
      'the preferred label',
      fork('label="Go"', 'label="Stop"'),
      outcome('', { outcome: 'success', preferred_label: 'stop' }),
      'The outcome prefers the label "stop".',
      ['b: not the preferred label', 'c: has the preferred label'],
    ],
    [
      'the weight',
      fork('weight=1', 'weight=3'),
      outcome('', { outcome: 'success' }),
      'Nothing else decided: the edge of the highest weight is taken, then the first by name.',
      [
        'b: comes after it: weight 1',
        'c: of those without a condition the highest weight, then the first by name',
      ],
    ],
    [
      'a retry target',
      pipeline('a', 'b [retry_target=a]', 'start -> a -> b -> exit'),
      outcome('', { outcome: 'fail', failure_reason: 'red' }),
      'A failure with a retry target goes back to "a".',
      ['exit: not asked: control jumped'],
    ],
  ];
  it.each(cases)('names %s', async (_name, dot, choice, why, ways) => {
    let before = await begun(dot);
    if (dot.includes('retry_target')) before = await choose(before, outcome('', { outcome: 'success' }));
    const routes = explainRoutes(before, await choose(before, choice));
    expect(routes[0]?.why).toBe(why);
    expect(routes[0]?.ways.map(({ to, verdict }) => `${to}: ${verdict}`)).toEqual(ways);
  });

  it('says what has changed in the context', async () => {
    const before = await begun(fork('weight=1', ''));
    const after = await choose(
      before,
      outcome('', { outcome: 'success', context_updates: { n: [1], 'x.y': 'z' } }),
    );
    const changes = contextChanges(before.state, after.state, '');
    expect(changes).toContainEqual({ key: 'n', before: undefined, after: [1] });
    expect(changes).toContainEqual({ key: 'x.y', before: undefined, after: 'z' });
    expect(changes).toContainEqual({ key: 'current_node', before: 'a', after: 'b' });
  });
});

describe('stepping', () => {
  const each = pipeline(
    'map [shape=component, foreach="${context.files}", as=file, join=end]',
    'list; work; end',
    'start -> list -> map -> work -> end -> exit',
  );

  it('106: begins a branch for each item of a list that a stage has set', async () => {
    const listed = outcome('', { outcome: 'success', context_updates: { files: ['a', 'b', 'c'] } });
    const simulation = await chosen(each, [listed]);
    const branches = simulation.pending.flatMap((one) => (one.kind === 'stage' ? one.effect.cursor : []));
    expect(branches).toEqual(['work#1', 'work#2', 'work#3']);
    expect(simulation.state.cursors.get('work#2')?.context.get('file')).toBe('b');
  });

  it('101: gives declared inputs their defaults', async () => {
    const dot = pipeline(
      'graph [inputs="files: list = [\\"a\\", \\"b\\"], city: string"]',
      'map [shape=component, foreach="${inputs.files}", as=file, join=end]',
      'work; end',
      'start -> map -> work -> end -> exit',
    );
    const { state } = await begun(dot);
    expect(state.cursors.get('work#2')?.context.get('file')).toBe('b');
    const given = await begun(dot, { files: ['x', 'y', 'z'] });
    expect(given.state.cursors.get('work#3')?.context.get('file')).toBe('z');
  });

  it('106: begins one branch where the list is missing', async () => {
    const simulation = await chosen(each, [outcome('', { outcome: 'success' })]);
    expect(waitingAt(simulation)).toEqual(['stage work']);
    expect(simulation.state.cursors.get('work#1')?.context.get('file')).toBe('[Simulated] item');
  });

  it('lets any branch that is ready continue, and joins them as a run does', async () => {
    const dot = pipeline(
      'fan [shape=component]; join [shape=tripleoctagon]; a; b',
      'start -> fan; fan -> a; fan -> b; a -> join; b -> join; join -> exit',
    );
    const first = await begun(dot);
    expect(waitingAt(first)).toEqual(['stage a', 'stage b']);
    const second = await choose(first, outcome('b', { outcome: 'fail' }));
    expect(waitingAt(second)).toEqual(['stage a']);
    const last = await choose(second, outcome('a', { outcome: 'success' }));
    expect(last.state.status).toBe('success');
    expect(last.state.path.toArray()).toEqual(['start', 'fan', 'a', 'b', 'join', 'exit']);
    expect(waitingAt(first)).toEqual(['stage a', 'stage b']);
  });

  it('waits for a retry until time is let pass', async () => {
    const dot = pipeline('a [max_retries=1]', 'start -> a -> exit');
    const failed = await chosen(dot, [outcome('', { outcome: 'retry' })]);
    expect(failed.pending.map(({ kind }) => kind)).toEqual(['timer']);
    const again = await choose(failed, { kind: 'let_time_pass' });
    expect(waitingAt(again)).toEqual(['stage a']);
    expect(again.now).toBeGreaterThan(failed.now);
  });

  it('lets stages and questions run out of time', async () => {
    const stage = await chosen(pipeline('a [timeout="5s"]', 'start -> a -> exit'), [
      { kind: 'let_time_pass' },
    ]);
    expect(stage.state.failure?.reason).toContain('timeout after 5s');
    const gate = pipeline(
      'g [shape=hexagon, timeout="1m", human.default_choice=no]',
      'no',
      'start -> g; g -> exit [label="[Y] Yes"]; g -> no [label="[N] No"]; no -> exit',
    );
    const open = await begun(gate);
    expect(nextDeadline(open)?.pending.kind).toBe('question');
    expect(waitingAt(await choose(open, { kind: 'let_time_pass' }))).toEqual(['stage no']);
  });

  it('refuses an answer that fits no option, and choices where there are none', async () => {
    const dot = pipeline('g [shape=hexagon]', 'start -> g -> exit');
    const open = await begun(dot);
    await expect(choose(open, { kind: 'answer', cursor: '', typed: 'maybe' })).rejects.toThrow(
      'not one of the possible answers',
    );
    await expect(choose(open, outcome('', { outcome: 'success' }))).rejects.toThrow('no stage waits');
    await expect(choose(open, { kind: 'let_time_pass' })).rejects.toThrow('nothing happens by itself');
  });

  it('runs on to the next choice, and back again', async () => {
    const dot = pipeline(
      'a',
      'b',
      'c',
      'start -> a -> b -> c; c -> exit [condition="outcome=success"]; c -> a [condition="outcome!=success"]',
    );
    const first = await begun(dot);
    const moments = await runOn(first);
    expect(moments.map(({ simulation }) => waitingAt(simulation)[0])).toEqual(['stage b', 'stage c']);
    let history = extendHistory({ moments: [{ choice: undefined, simulation: first }], index: 0 }, moments);
    history = move(history, -1);
    expect(waitingAt(present(history).simulation)).toEqual(['stage b']);
    expect(move(history, 5).index).toBe(2);
    const other = extendHistory(history, await runOn(present(history).simulation));
    expect(other.moments).toHaveLength(3);
    expect(move(other, -9).index).toBe(0);
  });

  it('stops where a pipeline goes round without anything to decide', async () => {
    const dot = pipeline(
      'graph [max_steps=1000000]',
      'a [shape=diamond]; b [shape=diamond]',
      'start -> a -> b; b -> a; a -> exit [condition="context.x=1"]',
    );
    await expect(begun(dot)).rejects.toThrow('may loop forever');
  });
});

describe('the form of an outcome', () => {
  const form = (change: Partial<OutcomeForm>): OutcomeForm => ({ ...emptyForm, ...change });

  it.each([
    ['nothing but a status', form({}), { outcome: 'success' }],
    [
      'values as --set reads them',
      form({ updates: 'a=1\n b = [true]\n\nc="x"\nd=x=y\n__proto__=p' }),
      {
        outcome: 'success',
        context_updates: Object.fromEntries([
          ['a', 1],
          ['b', [true]],
          ['c', '"x"'],
          ['d', 'x=y'],
          ['__proto__', 'p'],
        ]),
      },
    ],
    [
      'a reason of a failure',
      form({ status: 'fail', failureReason: ' red ' }),
      { outcome: 'fail', failure_reason: 'red' },
    ],
    ['no reason of a success', form({ failureReason: 'red' }), { outcome: 'success' }],
    [
      'a label and a response',
      form({ preferredLabel: 'Go', response: 'hi' }),
      { outcome: 'success', preferred_label: 'Go', response: 'hi' },
    ],
  ])('reads %s', (_name, given, entry) => {
    expect(readOutcomeForm(given)).toEqual({ kind: 'entry', entry });
  });

  it.each(['tests', '=1', 'ok=1\nbroken'])('says what is wrong with %s', (updates) => {
    expect(readOutcomeForm(form({ updates }))).toMatchObject({
      kind: 'problem',
      message: expect.stringContaining('expected key=value'),
    });
  });
});
