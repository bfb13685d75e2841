import { expect, test } from 'vitest';
import type { Question } from '../../../src/machine/interview.js';
import { recordedPath } from '../../../src/run/recording/recorded-path.js';
import { reroute } from '../../../src/run/recording/reroute.js';
import { pipeline, programOf, resumePipeline } from '../harness.js';
import { differenceOf, recordScenario, replayScenario } from './play.js';
import { type Scenario, scriptedBackend } from './scenarios.js';

const dot = pipeline(
  'each [shape=component, foreach="${inputs.l}", as=x, join=fin]',
  'ok [shape=hexagon, label="Publish ${context.x}?"]',
  'pub; rej; fin [shape=diamond]',
  'start -> each -> ok; ok -> pub [label="[Y] Yes"]; ok -> rej [label="[N] No"]',
  'pub -> fin; rej -> fin; fin -> exit',
);
const scenario: Scenario = { name: 'gates', dot, path: '', status: 'paused' };
const inputs = { l: ['a', 'b'] };

/** Person who answers only what is in the table. */
function personWith(answers: Readonly<Record<string, string>>) {
  return {
    ask({ text }: Question) {
      const value = answers[text];
      return Promise.resolve(value === undefined ? undefined : { value });
    },
  };
}

test.each([
  ['only the first', { 'Publish a?': 'Y' }, 'paused'],
  ['only the second', { 'Publish b?': 'N' }, 'paused'],
  ['both, in different ways', { 'Publish a?': 'N', 'Publish b?': 'Y' }, 'success'],
])('where branches ask at the same gate, each has its own answer: %s', async (_name, answers, status) => {
  const recorded = await recordScenario(scenario, { inputs, interviewer: personWith(answers) });
  expect(recorded.result.status).toBe(status);
  const replayed = await replayScenario(scenario, recorded.directory);
  expect(replayed.result.status).toBe(status);
  expect(differenceOf(recorded.directory, replayed.directory)?.diff).toBeUndefined();

  const { recorded: before, now } = await reroute(recorded.directory, programOf(dot));
  expect(now.end.status).toBe(status);
  expect(now.path).toEqual(before.path);
  expect(before.path).toEqual(recordedPath(recorded.events));
});

test('the order of the branches is not a difference of the path, where only people decided about it', async () => {
  const { directory } = await recordScenario(scenario, {
    inputs,
    interviewer: personWith({ 'Publish b?': 'N' }),
  });
  const { result } = await resumePipeline(directory, {
    interviewer: personWith({ 'Publish a?': 'Y' }),
    backend: scriptedBackend(scenario),
  });
  expect(result.path).toEqual(['start', 'each', 'ok', 'ok', 'rej', 'pub', 'fin', 'exit']);
  const same = await reroute(directory, programOf(dot));
  expect(same.firstDifference).toBeUndefined();
  expect(same.now.path).toEqual(same.recorded.path);

  const edited = dot.replace('rej -> fin', 'rej -> more -> fin; more [shape=diamond]');
  const other = await reroute(directory, programOf(edited));
  expect(other.firstDifference).toBe(6);
  expect(other.now.path.map(({ node_id }) => node_id).slice(0, 8)).toEqual([
    ...['start', 'each', 'ok', 'ok', 'rej', 'pub', 'more', 'fin'],
  ]);
});
