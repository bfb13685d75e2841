import { describe, expect, it } from 'vitest';
import { compile } from '../../../src/compiler/compile.js';
import { format } from '../../../src/format/format.js';
import { declaredInputs } from '../../../src/graph/values/declared-inputs.js';
import { submissionSchema } from '../../../src/server/api/run.js';
import { examples } from '../../../src/web/playground/examples.js';
import { emptyRunForm, type RunForm, readRunForm } from '../../../src/web/playground/read-run-form.js';

describe('the examples of the playground', () => {
  it.each(examples.map(({ title, text }) => [title, text] as const))(
    '%s is as it should be',
    (_title, text) => {
      expect(compile(text).diagnostics).toEqual([]);
      expect(format(text).text).toBe(text);
    },
  );
});

describe('§9.5: the form of a run', () => {
  const form = (change: Partial<RunForm>): RunForm => ({ ...emptyRunForm, ...change });

  it.each([
    ['nothing', form({}), {}],
    ['switches', form({ simulate: true, autoApprove: true }), { simulate: true, auto_approve: true }],
    ['inputs', form({ inputs: 'n=2\nname=x' }), { inputs: { n: 2, name: 'x' } }],
    ['limits', form({ budgetUsd: '2,50', maxSteps: '7' }), { budget_usd: 2.5, max_steps: 7 }],
    ['no budget', form({ budgetUsd: 'none' }), { budget_usd: 'none' }],
    [
      'budgets of stages',
      form({ stageBudgets: 'plan=2.50,test=none' }),
      { stage_budgets: { plan: { usd: 2.5 }, test: { usd: 'none' } } },
    ],
    ['a backend', form({ backend: 'ai' }), { backend: 'ai' }],
  ])('sends %s as the server takes it', (_name, given, expected) => {
    const read = readRunForm(given, 'digraph g {}', undefined);
    if (read.kind !== 'submission') throw new Error(read.message);
    expect(submissionSchema.parse(read.submission)).toEqual({ dot: 'digraph g {}', ...expected });
  });

  it.each([
    ['Inputs', form({ inputs: 'x' })],
    ['budget', form({ budgetUsd: 'much' })],
    ['budget', form({ budgetUsd: '-1' })],
    ['budget of a stage', form({ stageBudgets: 'plan' })],
    ['stages', form({ maxSteps: '1.5' })],
    ['stages', form({ maxSteps: '0' })],
  ])('says what is wrong with the %s', (word, given) => {
    expect(readRunForm(given, '', undefined)).toMatchObject({
      kind: 'problem',
      message: expect.stringContaining(word),
    });
  });
});

describe('101: the form of a pipeline that declares its inputs', () => {
  const { graph } = compile(
    'digraph g { graph [inputs="version: string, note: string?, channel: beta|stable = beta, limit: integer, tags: list?"] }',
  );
  const declared = declaredInputs(graph);
  const read = (texts: Readonly<Record<string, string>>) =>
    readRunForm({ ...emptyRunForm, declaredInputs: new Map(Object.entries(texts)) }, '', declared);

  it('is read by the types, and what is empty is not given', () => {
    expect(read({ version: '1.10', note: '', channel: '', limit: '3', tags: '["a"]' })).toMatchObject({
      submission: { inputs: { version: '1.10', limit: 3, tags: ['a'] } },
    });
    expect(read({ limit: '3' })).toMatchObject({ submission: { inputs: { version: '', limit: 3 } } });
  });

  it.each([
    [{ version: '1' }, 'limit: expected an integer, but it is not given.'],
    [{ version: '1', limit: 'ten' }, 'limit: expected an integer, found "ten".'],
    [{ version: '1', limit: '1', tags: 'a, b' }, 'tags: expected a list, found "a, b".'],
  ])('says what is wrong: %j', (texts, message) => {
    expect(read(texts)).toEqual({ kind: 'problem', message });
  });
});
