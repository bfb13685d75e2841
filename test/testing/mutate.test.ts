import { describe, expect, test } from 'vitest';
import { knownHandlerTypes } from '../../src/graph/known-handler-types.js';
import { withCases } from '../../src/testing/generate/case-text.js';
import { explore } from '../../src/testing/generate/explore.js';
import { generateCases } from '../../src/testing/generate/generate-cases.js';
import { mutantKinds, mutantsOf } from '../../src/testing/mutate/mutants.js';
import { tryMutants } from '../../src/testing/mutate/try-mutants.js';
import { readTestFile } from '../../src/testing/read-test-file.js';
import { compiled, review } from './play.js';

const types = knownHandlerTypes();

const all = `digraph all {
  start [shape=Mdiamond]
  exit [shape=Msquare]
  a [prompt="A.", goal_gate=true, retry_target=b]
  b [prompt="B."]
  ok [shape=hexagon]
  start -> a
  a -> b [condition="context.n > 3 && outcome=success"]
  a -> ok [label="Ask"]
  a -> exit [weight=2, label="Skip"]
  b -> ok
  ok -> exit [label="Yes"]
  ok -> a [label="No"]
}
`;

describe('changes of a pipeline', () => {
  test('are of all kinds, each on its own', () => {
    const mutants = mutantsOf(compiled(all).program, types);
    expect(new Set(mutants.map(({ kind }) => kind))).toEqual(new Set(mutantKinds));
    const texts = mutants.map(({ text }) => text);
    for (const text of [
      'without the edge "start" -> "a"',
      '"a" -> "b" with the condition !(context.n>3 && outcome=success) instead of context.n > 3 && outcome=success',
      '"a" -> "b" with the condition context.n>3 || outcome=success instead of context.n > 3 && outcome=success',
      '"a" -> "b" with the condition context.n>=3 && outcome=success instead of context.n > 3 && outcome=success',
      '"a" -> "b" with the condition context.n>4 && outcome=success instead of context.n > 3 && outcome=success',
      '"a" -> "ok" preferred to "a" -> "exit"',
      '"ok" -> "exit" and "ok" -> "a" with each other\'s targets',
      '"b" always failing',
      '"a" without its goal gate',
      '"ok" without its question',
    ])
      expect(texts).toContain(text);
  });

  test('are noticed by generated cases', async () => {
    const { program } = compiled(review);
    const { cases, exploration } = await generateCases(program, types);
    const { file } = readTestFile(withCases(undefined, cases, true), 'x');
    const tried = await tryMutants(program, types, file?.cases ?? [], exploration);
    expect(tried.filter(({ result }) => result === 'missed').map(({ mutant }) => mutant.text)).toEqual([]);
    expect(tried.filter(({ result }) => result === 'noticed').length).toBeGreaterThan(10);
  });

  test('that no case notices come with a simulation that shows them', async () => {
    const { program } = compiled(review);
    const { file } = readTestFile('cases: [{ name: weak }]', 'x');
    const tried = await tryMutants(program, types, file?.cases ?? [], await explore(program));
    const missed = tried.filter(({ result }) => result === 'missed');
    const dropped = missed.find(({ mutant }) => mutant.text === 'without the edge "ok" -> "draft"');
    expect(dropped?.shownBy).toContain('"ok": N');
  });
});
