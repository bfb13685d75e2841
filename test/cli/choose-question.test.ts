import { describe, expect, test } from 'vitest';
import { answerable } from '../../src/cli/answerable.js';
import { chooseQuestion } from '../../src/cli/choose-question.js';
import { busyStages } from '../../src/cli/progress/busy-stages.js';
import { type AskedQuestion, questionsOf } from '../../src/setup/questions-of.js';
import { overviewOf } from '../../src/view/run-overview.js';
import { runProject, subPipeline } from '../run/children/children.js';
import { pipeline, resumePipeline, runOnDisk } from '../run/harness.js';

const gate = pipeline(
  ...['g [shape=hexagon, label="Ship it?"]', 'a', 'b', 'start -> g', 'a -> exit', 'b -> exit'],
  ...['g -> a [label="[A] Approve"]', 'g -> b [label="[F] Fix"]'],
);

/** Two branches, each with a child that asks, and a gate next to them. */
const split = pipeline(
  ...['split [shape=component]', 'join [shape=tripleoctagon]', 'start -> split', 'join -> exit'],
  ...['one [type=pipeline, child="gate.dot"]', 'two [type=pipeline, child="gate.dot"]'],
  ...['own [shape=hexagon]', 'own -> join [label=Yes]'],
  ...['split -> one -> join', 'split -> two -> join', 'split -> own'],
);

async function asking(dot: string): Promise<string> {
  const { directory, result } = await runProject({ 'main.dot': dot, 'gate.dot': gate, 'child.dot': gate });
  expect(result.status).toBe('paused');
  return directory;
}

const openIn = (directory: string): readonly AskedQuestion[] =>
  questionsOf(overviewOf(directory, Date.now()));

describe('87: which question an answer is for', () => {
  test.each([
    ['one/g=A', 'one/g', 'A'],
    ['two/g = fix', 'two/g', ' fix'],
    ['own=Yes', 'own', 'Yes'],
  ])('%s is the answer to %s', async (given, name, typed) => {
    const open = openIn(await asking(split));
    expect(open.map((asked) => asked.name).toSorted()).toEqual(['one/g', 'own', 'two/g']);
    const chosen = chooseQuestion(open, given, 'r');
    expect([chosen.asked.name, chosen.typed]).toEqual([name, typed]);
    const byId = chooseQuestion(open, `${chosen.asked.question.id}=A`, 'r');
    expect(byId.asked).toBe(chosen.asked);
  });

  test.each([
    ['A', 'r has several open questions; name one, as in `own=A`'],
    ['g=A', '"g" may be one/g or two/g'],
    ['ownn=A', 'no open question of r is called "ownn" (did you mean "own"?)'],
  ])('%s is none, and which there are is said', async (given, problem) => {
    const open = openIn(await asking(split));
    const ask = () => chooseQuestion(open, given, 'r');
    expect(ask).toThrow(`${problem}. These are open:\n`);
    expect(ask).toThrow('\n  one/g: Ship it?  [A] Approve, [F] Fix');
    expect(ask).toThrow('\n  own: Select an option:  [Y] Yes');
  });

  test('a stage inside needs no more than its own name where no other has it', async () => {
    const open = openIn(await asking(subPipeline()));
    expect(open).toMatchObject([{ name: 'sub/g', question: { stage: 'sub/g' }, isAnswered: false }]);
    for (const given of ['g=A', 'sub/g=A']) {
      expect(chooseQuestion(open, given, 'r')).toMatchObject({ asked: { name: 'sub/g' }, typed: 'A' });
    }
    expect(chooseQuestion(open, 'A', 'r')).toMatchObject({ asked: { name: 'sub/g' }, typed: 'A' });
    expect(() => chooseQuestion(open, 'nosuch=A', 'r')).toThrow('no open question of r is called "nosuch"');
  });

  test('a text may hold what separates a name from an answer', async () => {
    const { directory } = await runOnDisk(pipeline('a [type=custom]', 'start -> a -> exit'), {
      handlers: {
        custom: async ({ ask }) => {
          await ask({ type: 'FREE_TEXT', text: 'Which formula?' });
          return { status: 'success' };
        },
      },
    });
    expect(chooseQuestion(openIn(directory), 'e = mc²', 'r')).toMatchObject({ typed: 'e = mc²' });
  });
});

describe('9.4: what a run does whose child asks', () => {
  test('is nothing that must end before it pauses', async () => {
    const directory = await asking(subPipeline());
    const { stages, child_runs: children } = overviewOf(directory, 0);
    const working = stages.map((stage) => ({ ...stage, state: 'running' as const }));
    expect(busyStages({ stages: working, child_runs: [] })).toMatchObject([{ node_id: 'sub' }]);
    expect(busyStages({ stages: working, child_runs: children })).toEqual([]);
  });

  test('says by which name the question is answered, and keeps to itself what only handlers need', async () => {
    const directory = await asking(subPipeline());
    const overview = overviewOf(directory, 0);
    const shown = JSON.parse(JSON.stringify(answerable(overview, questionsOf(overview))));
    expect(shown.questions).toEqual([]);
    expect(shown.child_runs).toMatchObject([
      {
        node_id: 'sub',
        status: 'paused',
        questions: [{ id: 'g.1.1.1', stage: 'g', answer_as: 'sub/g', answered: false }],
      },
    ]);
    expect(JSON.stringify(shown)).not.toContain('metadata');
  });

  test('ends with it', async () => {
    const directory = await asking(subPipeline());
    await resumePipeline(directory, { answers: { 'sub/g': 'A' } });
    const overview = overviewOf(directory, 0);
    expect(questionsOf(overview)).toEqual([]);
    expect(overview.child_runs).toMatchObject([{ status: 'success', stages: [], questions: [] }]);
  });
});
