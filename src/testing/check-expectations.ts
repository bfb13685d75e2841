import { diffArrays } from 'diff';
import type { JsonValue } from '../graph/json.js';
import type { Observation } from './play-case.js';
import type { Place } from './read-test-file.js';
import type { Expectations, PathExpectation } from './test-file.js';

/** An expectation that does not hold. */
export interface Mismatch {
  /** Place within the expectations: `['visits', 'fix']`. */
  readonly place: Place;
  /** In a sentence, without a full stop: what was expected, and what happened. */
  readonly message: string;
  /** Line by line, for more than a word: what both have, only the expectation has, or only the run has. */
  readonly diff?: readonly DiffLine[];
}

export interface DiffLine {
  readonly side: 'both' | 'expected' | 'actual';
  readonly text: string;
}

/** Expectations that do not hold, in the order of the file. */
export function checkExpectations(expect: Expectations, seen: Observation): readonly Mismatch[] {
  return [
    ...checkEnd(expect, seen),
    ...(expect.path === undefined ? [] : checkPath(expect.path, seen.path)),
    ...checkVisits(expect, seen),
    ...checkContext(expect, seen),
    ...checkPrompts(expect, seen),
    ...checkAsked(expect, seen),
    ...checkCost(expect, seen),
  ];
}

function checkEnd({ status, failure }: Expectations, seen: Observation): readonly Mismatch[] {
  const because = seen.reason === undefined ? '' : `: ${seen.reason}`;
  if (status !== seen.status)
    return [{ place: ['status'], message: `expected status ${status}, but it was ${seen.status}${because}` }];
  if (failure === undefined || (seen.status === 'fail' && seen.reason?.includes(failure))) return [];
  const found =
    seen.status === 'fail' ? `the reason was ${quoted(seen.reason ?? '')}` : 'the run did not fail';
  return [
    { place: ['failure'], message: `expected a failure with the text ${quoted(failure)}, but ${found}` },
  ];
}

function checkPath(
  { is, contains = [], excludes = [], in_order: inOrder }: PathExpectation,
  path: readonly string[],
): readonly Mismatch[] {
  const found: Mismatch[] = [];
  if (is !== undefined && !areEqual(is, path))
    found.push({ place: ['path', 'is'], message: 'the path differs', diff: diffOf(is, path) });
  contains.forEach((id, index) => {
    if (!path.includes(id))
      found.push({
        place: ['path', 'contains', index],
        message: `expected the path to contain "${id}"; it was ${pathText(path)}`,
      });
  });
  excludes.forEach((id, index) => {
    if (path.includes(id))
      found.push({
        place: ['path', 'excludes', index],
        message: `expected the path not to contain "${id}"; it was ${pathText(path)}`,
      });
  });
  if (inOrder !== undefined) found.push(...checkOrder(inOrder, path));
  return found;
}

function checkOrder(inOrder: readonly string[], path: readonly string[]): readonly Mismatch[] {
  let from = 0;
  for (const [index, id] of inOrder.entries()) {
    const at = path.indexOf(id, from);
    if (at === -1) {
      const before = inOrder[index - 1];
      const where = before === undefined ? 'in the path' : `after "${before}"`;
      return [
        {
          place: ['path', 'in_order', index],
          message: `expected "${id}" ${where}; the path was ${pathText(path)}`,
        },
      ];
    }
    from = at + 1;
  }
  return [];
}

function checkVisits({ visits = new Map() }: Expectations, seen: Observation): readonly Mismatch[] {
  return [...visits].flatMap(([id, wanted]) => {
    const actual = seen.visits[id] ?? 0;
    if (actual === wanted) return [];
    return [
      {
        place: ['visits', id],
        message: `expected ${timesText(wanted)} of "${id}", but there ${actual === 1 ? 'was' : 'were'} ${actual}`,
      },
    ];
  });
}

function checkContext({ context = new Map() }: Expectations, seen: Observation): readonly Mismatch[] {
  return [...context].flatMap(([key, wanted]: [string, JsonValue]) => {
    const actual = Object.hasOwn(seen.context, key) ? (seen.context[key] ?? null) : null;
    if (areEqual(wanted, actual)) return [];
    const diff = diffOf(linesOf(wanted), linesOf(actual));
    return [{ place: ['context', key], message: `the value of \`${key}\` differs`, diff }];
  });
}

function checkPrompts({ prompts = new Map() }: Expectations, seen: Observation): readonly Mismatch[] {
  return [...prompts].flatMap(([id, texts]: [string, readonly string[]]) => {
    const given = seen.prompts.get(id);
    if (given === undefined)
      return [{ place: ['prompts', id], message: `expected a prompt of "${id}", but it got none` }];
    return texts.flatMap((text, index): Mismatch[] => {
      if (given.some((prompt) => prompt.includes(text))) return [];
      const which = given.length === 1 ? 'its prompt was' : `the last of its ${given.length} prompts was`;
      const diff = linesOfText(given.at(-1) ?? '').map((line): DiffLine => ({ side: 'both', text: line }));
      const message = `expected a prompt of "${id}" with the text ${quoted(text)}; ${which}:`;
      return [{ place: ['prompts', id, index], message, diff }];
    });
  });
}

function checkAsked({ asked }: Expectations, seen: Observation): readonly Mismatch[] {
  if (asked === undefined) return [];
  const wanted = asked.map(({ stage }) => stage);
  const actual = seen.asked.map(({ stage }) => stage);
  if (!areEqual(wanted, actual))
    return [{ place: ['asked'], message: 'the stages that ask differ', diff: diffOf(wanted, actual) }];
  return asked.flatMap(({ stage, text = '' }, index) => {
    const question = seen.asked[index]?.text ?? '';
    if (question.includes(text)) return [];
    const message = `expected "${stage}" to ask ${quoted(text)}, but it asked ${quoted(question)}`;
    return [{ place: ['asked', index, 'text'], message }];
  });
}

function checkCost({ cost_at_most: most }: Expectations, seen: Observation): readonly Mismatch[] {
  if (most === undefined) return [];
  const place = ['cost_at_most'];
  if (seen.unpriced.length > 0) {
    const stages = seen.unpriced.map((id) => `"${id}"`).join(', ');
    return [{ place, message: `cannot tell the cost: no price is known for the model of ${stages}` }];
  }
  if (seen.cost <= most) return [];
  return [
    { place, message: `expected a cost of at most $${most}, but the estimate is $${seen.cost.toFixed(4)}` },
  ];
}

function diffOf(expected: readonly string[], actual: readonly string[]): readonly DiffLine[] {
  return diffArrays([...expected], [...actual]).flatMap(({ added, removed, value }) =>
    value.map((text): DiffLine => ({ side: added ? 'actual' : removed ? 'expected' : 'both', text })),
  );
}

/** A value as lines: a text line by line, anything else as JSON. */
function linesOf(value: JsonValue): readonly string[] {
  if (value === null) return ['(not set)'];
  return typeof value === 'string' ? linesOfText(value) : JSON.stringify(sorted(value), null, 2).split('\n');
}

function linesOfText(text: string): readonly string[] {
  return text === '' ? ['(empty)'] : text.split('\n');
}

/** True for the same JSON; the order of keys does not count. */
function areEqual(one: JsonValue | readonly string[], other: JsonValue | readonly string[]): boolean {
  return JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([one], [two]) => (one < two ? -1 : 1));
  return Object.fromEntries(entries.map(([key, part]) => [key, sorted(part)]));
}

const mostShown = 12;

/** A path in a line; of a long one, the beginning and the end. */
function pathText(path: readonly string[]): string {
  const half = mostShown / 2;
  const shown = path.length <= mostShown ? path : [...path.slice(0, half), '…', ...path.slice(-half)];
  return shown.join(' → ');
}

function timesText(count: number): string {
  return count === 1 ? '1 visit' : `${count} visits`;
}

function quoted(text: string): string {
  return JSON.stringify(text);
}
