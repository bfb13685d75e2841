import { describe, expect, it } from 'vitest';
import { compile } from '../../src/compiler/compile.js';
import { declaredInputs } from '../../src/graph/values/declared-inputs.js';
import { essenceOf, simulate } from '../run/simulate/simulations.js';
import { corpusFiles } from './corpus.js';

/** Pipelines that need a script to get to their end, and why. All others succeed when everything does. */
const stuck = new Map<string, string>([
  // It routes on a custom outcome, which a run has to allow.
  ['kilroy__docs__strongdm__dot_specs__consensus_task.dot', 'no eligible edge leaves "CheckDoD"'],
  // Their way out is not the first choice.
  ['tracker__examples__ask_and_execute.dot', '1000 stages, the limit set by `max_steps`'],
  ['tracker__examples__semport.dot', '50 times, the limit set by `max_restarts`'],
  // They loop until another stage than the one that routes says so.
  ...['dotpowers-auto', 'dotpowers-simple-auto', 'dotpowers-simple', 'dotpowers', 'kitchen-sink'].map(
    endless,
  ),
  ...['scenario-testing', 'test-kitchen'].map(endless),
]);

function endless(name: string): readonly [string, string] {
  return [`tracker__examples__${name}.dot`, '1000 stages, the limit set by `max_steps`'];
}

/** A value for each input that a pipeline declares (SEMANTICS 101); those of the corpus have no types. */
function inputsOf(text: string): Readonly<Record<string, string>> {
  const declared = declaredInputs(compile(text).graph);
  return Object.fromEntries([...(declared?.keys() ?? [])].map((name) => [name, `some ${name}`]));
}

const files = corpusFiles().filter(({ name, text }) => compile(text, { name }).program !== undefined);

describe.skipIf(files.length === 0)('a pipeline of the corpus', () => {
  it.each(files)('comes to its end in a simulation, or to the known hole: $name', async ({ name, text }) => {
    const { result } = await simulate(text, { inputs: inputsOf(text) });
    const reason = stuck.get(name);
    expect(result).toMatchObject(
      reason === undefined
        ? { status: 'success', quality: 'clean' }
        : { status: 'fail', failure_reason: expect.stringContaining(reason) },
    );
  });

  it.each(files)('is simulated twice alike, with a seed: $name', async ({ text }) => {
    const options = { seed: 20, maxSteps: 60, inputs: inputsOf(text) };
    expect(essenceOf(await simulate(text, options))).toEqual(essenceOf(await simulate(text, options)));
  });
});
