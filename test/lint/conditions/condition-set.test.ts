import { describe, expect, test } from 'vitest';
import { evaluateCondition } from '../../../src/graph/evaluate-condition.js';
import type { JsonValue } from '../../../src/graph/json.js';
import { type ConditionSet, conditionSet } from '../../../src/lint/conditions/condition-set.js';
import { allOf, type Formula, negated } from '../../../src/lint/conditions/formula.js';
import { isNever } from '../../../src/lint/conditions/is-never.js';
import { scopeOf } from '../../../src/lint/conditions/variable.js';
import type { Condition } from '../../../src/parser/condition/ast.js';
import { parseCondition } from '../../../src/parser/condition/parse.js';
import { fc } from '../../support/fast-check.js';
import { conditionTexts, keys, labels, outcomes, values } from './arbitrary.js';

const numRuns = Number(process.env.ATTRACTOR_PROOF_RUNS ?? 200);

function read(text: string): Condition {
  const { condition } = parseCondition(text);
  if (condition === undefined) throw new Error(`${text} is not a condition`);
  return condition;
}

function setOf(...texts: readonly string[]): ConditionSet {
  const set = conditionSet(texts.map(read), new Map());
  if (set === undefined) throw new Error('the conditions are too many');
  return set;
}

const statuses = new Set(['success', 'partial_success', 'skipped', 'fail']);

/** Whether something makes all of the first conditions true and none of the others. */
function answer(holding: readonly string[], failing: readonly string[] = []): string {
  const set = setOf(...holding, ...failing);
  const formula = allOf(set.formulas.map((part, index) => (index < holding.length ? part : negated(part))));
  return set.ask(formula, { outcomes: statuses, upTo: 'possible' }).kind;
}

/** Whether a condition holds after an outcome, whatever the context has. */
function verdict(text: string, outcome: string): string {
  const set = setOf(text);
  const outcomes = new Set([outcome]);
  const [formula] = set.formulas;
  if (formula === undefined) throw new Error('a set has a formula for each condition');
  if (isNever(set, formula, outcomes)) return 'never';
  return isNever(set, negated(formula), outcomes) ? 'always' : 'maybe';
}

test.each([
  ['outcome=fail', 'always', 'never'],
  ['outcome!=success', 'always', 'never'],
  ['outcome in [fail, retry]', 'always', 'never'],
  ['outcome not in [success]', 'always', 'never'],
  ['!(outcome=fail)', 'never', 'always'],
  ['outcome=fail && context.x=1', 'maybe', 'never'],
  ['outcome=success || context.x=1', 'maybe', 'always'],
  ['outcome=fail || outcome!=fail', 'always', 'always'],
  ['context.x=1 || context.x!=1', 'always', 'always'],
  ['context.x=1', 'maybe', 'maybe'],
  ['outcome matches "fa"', 'always', 'never'],
  ['outcome contains "fa"', 'always', 'never'],
  ['context.x matches "fa"', 'maybe', 'maybe'],
  ['exists outcome', 'always', 'always'],
  ['outcome', 'always', 'always'],
  ['exists context.x', 'maybe', 'maybe'],
  ['true', 'always', 'always'],
  ['false && context.x', 'never', 'never'],
])('10.3: `%s` holds %s after a failure, and %s after a success', (text, ofFailure, ofSuccess) => {
  expect([verdict(text, 'fail'), verdict(text, 'success')]).toEqual([ofFailure, ofSuccess]);
});

describe('what can be', () => {
  test.each<readonly [string, readonly string[], readonly string[]]>([
    ['a status', ['outcome=fail'], []],
    ['two keys at once', ['outcome=fail', 'context.a=1'], []],
    ['neither of two words', [], ['context.a=x', 'context.a=y']],
    ['the same number in another spelling', ['context.a in [1]', 'context.a!=1'], []],
    ['a number between', ['context.n > 1', 'context.n < 2'], []],
    ['a number at the edge', ['context.n >= 1', 'context.n <= 1'], []],
    ['no number at all', [], ['context.n < 1', 'context.n >= 1']],
    ['present, and yet empty', ['exists context.a', 'context.a=""'], []],
    ['present, and yet not true', ['exists context.a', '!context.a'], ['context.a=""']],
    ['a list with both', ['context.a contains x', '"y" in context.a'], []],
    ['a list with the longer one only', ['context.a contains xy'], ['context.a contains x']],
    ['a text with the shorter one only', ['context.a contains x'], ['context.a contains xy']],
    ['a text after another', ['context.a > "m"', 'context.a!=n'], []],
  ])('%s', (_name, holding, failing) => {
    expect(['satisfiable', 'impossible']).toContain(answer(holding, failing));
    const set = setOf(...holding, ...failing);
    const formula = allOf(set.formulas.map((part, index) => (index < holding.length ? part : negated(part))));
    expect(set.ask(formula, { outcomes: statuses, upTo: 'assumed' }).kind).toBe('satisfiable');
  });
});

describe('what cannot be', () => {
  test.each<readonly [string, readonly string[], readonly string[]]>([
    ['two statuses at once', ['outcome=fail', 'outcome=success'], []],
    ['a word and its negation', ['context.a=x', 'context.a!=x'], []],
    ['two words at once', ['context.a=x', 'context.a=y'], []],
    [
      'a status next to all that there are',
      [],
      ['outcome in [success, fail]', 'outcome=skipped || outcome=partial_success'],
    ],
    ['a number outside of itself', ['context.n < 1', 'context.n > 1'], []],
    ['a number that is not a number', ['context.n < 1', '!exists context.n'], []],
    ['a number next to its halves', ['context.n > 0'], ['context.n < 5', 'context.n >= 5']],
    ['true and false', ['context.a', 'context.a=false'], []],
    ['a word of a list that is none of it', ['context.a in [x, y]'], ['context.a=x', 'context.a=y']],
    ['what is a clause of several keys, and is not', ['context.a > inputs.b', '!(context.a > inputs.b)'], []],
    ['what matches, and does not', ['context.a matches "^x"', '!(context.a matches "^x")'], []],
    ['a word that does not match', ['context.a=y', 'context.a matches "^x"'], []],
    ['retry, of which nothing is left in the end', ['outcome=retry'], []],
  ])('%s', (_name, holding, failing) => {
    expect(answer(holding, failing)).toBe('impossible');
  });
});

describe('keys that depend on each other', () => {
  test.each([
    ['written in two ways', ['context.a=x', 'a=y'], true],
    ['one inside of the other', ['context.a=x', 'context.a.b=y'], true],
    ['that follow the outcome', ['context.outcome=x'], true],
    ['of their own', ['context.a=x', 'context.ab=y', 'outcome=fail', 'preferred_label=x'], false],
  ])('%s', (_name, texts, isEntangled) => {
    expect(setOf(...texts).isEntangled).toBe(isEntangled);
  });
});

describe('against the evaluator of the engine', () => {
  const cases = fc.array(conditionTexts, { minLength: 1, maxLength: 3 });
  const allOutcomes = new Set([...outcomes, '(another outcome)']);

  /** Which of the conditions hold, for every one of many assignments. */
  function* enumerated(
    conditions: readonly Condition[],
    texts: readonly string[],
  ): Iterable<readonly boolean[]> {
    const used = keys.filter((key) => texts.some((text) => text.includes(key)));
    const pools = used.map((key): readonly (JsonValue | undefined)[] =>
      key === 'outcome' ? outcomes : key === 'preferred_label' ? labels : values,
    );
    const total = pools.reduce((product, pool) => product * pool.length, 1);
    const stride = Math.max(1, Math.floor(total / 3000));
    for (let number = 0; number < total; number += stride) {
      let rest = number;
      const assignment = used.map((key, index) => {
        const pool = pools[index] ?? [];
        const value = pool[rest % pool.length];
        rest = Math.floor(rest / pool.length);
        return [key, value] as const;
      });
      const scope = scopeOf(assignment);
      yield conditions.map((condition) => evaluateCondition(condition, scope));
    }
  }

  test('every witness is one, and nothing that is said to be impossible happens', () => {
    let witnesses = 0;
    let proofs = 0;
    fc.assert(
      fc.property(cases, fc.array(fc.boolean(), { minLength: 3, maxLength: 3 }), (texts, signs) => {
        const conditions = texts.map(read);
        const set = conditionSet(conditions, new Map());
        fc.pre(set !== undefined && !set.isEntangled);
        const formula: Formula = allOf(
          set.formulas.map((part, index) => (signs[index] ? part : negated(part))),
        );
        const isAsAsked = (holds: readonly boolean[]) =>
          holds.every((value, index) => value === signs[index]);
        const found = set.ask(formula, { outcomes: allOutcomes, upTo: 'possible' });
        if (found.kind === 'satisfiable') {
          witnesses += 1;
          const scope = scopeOf([...found.assignment].map(([{ name }, { value }]) => [name, value] as const));
          expect(isAsAsked(conditions.map((condition) => evaluateCondition(condition, scope)))).toBe(true);
        } else if (set.ask(formula, { outcomes: allOutcomes, upTo: 'assumed' }).kind === 'impossible') {
          proofs += 1;
          for (const holds of enumerated(conditions, texts)) expect(isAsAsked(holds)).toBe(false);
        }
      }),
      { numRuns },
    );
    expect(witnesses).toBeGreaterThan(0);
    expect(proofs).toBeGreaterThan(0);
  });
});

describe('bounds', () => {
  test('many keys that have nothing to do with each other are decided', () => {
    const texts = Array.from({ length: 60 }, (_, index) => `context.k${index}=a && outcome=success`);
    expect(answer([], texts)).toBe('satisfiable');
  });

  test('a question that would take too long is given up, and too many conditions are not looked at', () => {
    const pigeons = Array.from({ length: 12 }, (_, pigeon) =>
      Array.from({ length: 11 }, (_, hole) => `context.p${pigeon}=h${hole}`).join(' || '),
    );
    const apart = Array.from({ length: 11 }, (_, hole) =>
      Array.from({ length: 12 }, (_, pigeon) => `context.p${pigeon}=h${hole}`)
        .flatMap((one, index, all) => all.slice(index + 1).map((other) => `!(${one} && ${other})`))
        .join(' && '),
    );
    expect(answer([...pigeons, ...apart])).toBe('unknown');
    const many = Array.from({ length: 100 }, (_, index) => read(`context.k=${index}`));
    expect(conditionSet(many, new Map())).toBeUndefined();
  });
});
