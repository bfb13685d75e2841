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

describe('106: which item of a list an answer is for', () => {
  /** A run that asks for each of three items, by this stage. */
  async function askingForItems(
    stage: string,
    ...leaving: readonly string[]
  ): Promise<readonly AskedQuestion[]> {
    const main = pipeline(
      ...['inputs="items: list"', 'each [shape=component, foreach="${inputs.items}", join=last]', 'last'],
      ...[stage, 'start -> each -> ask', 'last -> exit', ...leaving],
    );
    const files = { 'main.dot': main, 'gate.dot': gate };
    const { directory } = await runProject(files, { inputs: { items: ['x', 'y', 'z'] } });
    return openIn(directory);
  }

  const ofGate = () =>
    askingForItems('ask [shape=hexagon, label="Ship it?"]', 'ask -> last [label="[A] Approve"]');
  const ofChild = () => askingForItems('ask [type=pipeline, child="gate.dot"]', 'ask -> last');

  test.each([
    ['by the gate of their branch', ofGate, 'ask', ['ask#1', 'ask#2', 'ask#3']],
    ['by a child', ofChild, 'ask/g', ['ask#1/g', 'ask#2/g', 'ask#3/g']],
  ])('of those that ask %s', async (_how, asking, name, itemNames) => {
    const open = await asking();
    expect(open.map(({ itemName }) => itemName)).toEqual(itemNames);
    const ids = open.map(({ question }) => question.id);
    expect(open.map(({ answerAs }) => answerAs)).toEqual(ids);
    for (const [index, itemName] of itemNames.entries()) {
      expect(chooseQuestion(open, `${itemName}=A`, 'r').asked).toBe(open[index]);
      expect(chooseQuestion(open, `${ids[index]}=A`, 'r').asked).toBe(open[index]);
    }
    const ask = () => chooseQuestion(open, `${name}=A`, 'r');
    expect(ask).toThrow(
      `"${name}" is the name of several open questions; name one, as in \`${ids[0]}=A\`. These are open:`,
    );
    expect(ask).toThrow(`\n  ${ids[2]} (${itemNames[2]}): Ship it?  [A] Approve`);
    expect(() => chooseQuestion(open, 'A', 'r')).toThrow(`name one, as in \`${ids[0]}=A\``);
  });

  test('is that of the last one without an answer', async () => {
    const open = (await ofGate()).map((asked, index) => ({ ...asked, isAnswered: index !== 1 }));
    expect(chooseQuestion(open, 'ask=A', 'r').asked).toBe(open[1]);
    expect(chooseQuestion(open, 'A', 'r').asked).toBe(open[1]);
  });

  test('is not that of any where the name of the stage inside is all that is said', async () => {
    const open = await ofChild();
    expect(() => chooseQuestion(open, 'g=A', 'r')).toThrow('"g" is the name of several open questions');
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
