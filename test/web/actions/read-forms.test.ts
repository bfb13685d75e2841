import { describe, expect, it } from 'vitest';
import { forkSchema, resumptionSchema } from '../../../src/server/api/run.js';
import { inputsDeclaredIn, readChangedInputs } from '../../../src/web/actions/read-changed-inputs.js';
import { readFork } from '../../../src/web/actions/read-fork.js';
import { readResumption } from '../../../src/web/actions/read-resumption.js';

const asBefore = { from: '', budget: '', stageBudgets: '', steps: '', simulate: false, inputs: {} };

describe('the form to resume a run', () => {
  it.each([
    [asBefore, {}],
    [
      { ...asBefore, from: '__proto__', simulate: true },
      { from: '__proto__', simulate: true },
    ],
    [
      { ...asBefore, budget: ' $2.50 ', steps: '12' },
      { budget_usd: 2.5, max_steps: 12 },
    ],
    [{ ...asBefore, budget: '.5' }, { budget_usd: 0.5 }],
    [{ ...asBefore, budget: 'none' }, { budget_usd: 'none' }],
    [
      { ...asBefore, stageBudgets: 'plan=2.50, plan=80000tokens\nsub/test=none' },
      { stage_budgets: { plan: { usd: 2.5, tokens: 80_000 }, 'sub/test': { usd: 'none' } } },
    ],
    [{ ...asBefore, inputs: { limit: 3 } }, { inputs: { limit: 3 } }],
  ])('%j asks for %j', (fields, resumption) => {
    expect(readResumption(fields)).toEqual({ resumption });
    expect(resumptionSchema.parse(resumption)).toEqual(resumption);
  });

  it.each([
    [{ ...asBefore, budget: 'two' }, 'two'],
    [{ ...asBefore, budget: '-1' }, '-1'],
    [{ ...asBefore, stageBudgets: 'plan=2.50, test' }, '“test”'],
    [{ ...asBefore, stageBudgets: 'plan=much' }, '“plan=much”'],
    [{ ...asBefore, steps: '0' }, '“0”'],
    [{ ...asBefore, steps: '1.5' }, '1.5'],
    [{ ...asBefore, inputs: 'limit: "x" is not an integer.' }, 'limit'],
  ])('%j is refused, and what was found is said', (fields, found) => {
    expect(readResumption(fields)).toEqual({ problem: expect.stringContaining(found) });
  });
});

describe('the inputs of a run that is resumed', () => {
  const dot = 'digraph { graph [inputs="files: list, level: low|high = low, limit: integer"] }';
  const declared = inputsDeclaredIn(dot);

  it.each<[Readonly<Record<string, string>>, object | string]>([
    [{}, {}],
    [{ limit: '4', level: '' }, { limit: 4 }],
    [
      { files: '["a"]', level: 'high' },
      { files: ['a'], level: 'high' },
    ],
    [{ limit: 'four' }, 'limit: '],
    [{ level: 'middle' }, 'level: '],
  ])('%j are read as %j', (texts, wanted) => {
    const read = readChangedInputs({ declared: new Map(Object.entries(texts)), lines: '' }, declared);
    if (typeof wanted === 'string') expect(read).toMatch(new RegExp(`^${wanted}`));
    else expect(read).toEqual(wanted);
  });

  it('are lines where the pipeline takes any', () => {
    const lines = (text: string) => readChangedInputs({ declared: new Map(), lines: text }, undefined);
    expect(inputsDeclaredIn('digraph {}')).toBeUndefined();
    expect(lines('limit=4\ncity=Ulm')).toEqual({ limit: 4, city: 'Ulm' });
    expect(lines('=4')).toMatch(/^Inputs: line 1/);
  });
});

describe('the form to fork a run', () => {
  const fields = { node: '', step: '', resume: true };

  it.each([
    [{ ...fields, point: 'end', step: 'left over' } as const, { resume: true }],
    [{ ...fields, point: 'node', node: 'a' } as const, { at: 'a', resume: true }],
    [{ ...fields, point: 'step', step: ' 3 ', resume: false } as const, { step: 3, resume: false }],
  ])('%j asks for %j', (given, fork) => {
    expect(readFork(given)).toEqual({ fork });
    expect(forkSchema.parse(fork)).toEqual(fork);
  });

  it.each([
    [{ ...fields, point: 'node' } as const, 'Choose the node'],
    [{ ...fields, point: 'step', step: 'x' } as const, '“x”'],
  ])('%j is refused, and what was found is said', (given, found) => {
    expect(readFork(given)).toEqual({ problem: expect.stringContaining(found) });
  });
});
