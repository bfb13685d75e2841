import { excerpt } from '../../diagnostic/excerpt.js';
import { asNumber } from '../../graph/evaluate-condition.js';
import { attributeText } from '../../graph/graph.js';
import { listNames } from '../list-names.js';
import type { Assignment } from './solve.js';
import { type Candidate, otherOutcome, type Variable } from './variable.js';

/** Values of keys in words: `outcome=fail and context.tests is neither "red" nor "green"`. */
export function describeWitness(assignment: Assignment): string {
  const parts = [...assignment]
    .sort(([one], [other]) => Number(other.name === 'outcome') - Number(one.name === 'outcome'))
    .map(([variable, candidate]) => describe(variable, candidate));
  if (parts.length === 0) return 'for any outcome and context';
  const last = parts.at(-1) ?? '';
  return parts.length === 1 ? last : `${parts.slice(0, -1).join(', ')} and ${last}`;
}

function describe(variable: Variable, { value, role, truth }: Candidate): string {
  const { name } = variable;
  switch (role) {
    case 'missing':
      return `${name} is missing`;
    case 'empty':
      return `${name} is empty`;
    case 'number':
      return `${name}=${attributeText(Number(value))}`;
    case 'literal':
      return `${name}=${wordOf(name, String(value))}`;
    case 'list':
    case 'other':
      return describeOther(variable, truth);
  }
}

function wordOf(name: string, text: string): string {
  if (name === 'outcome') return text === otherOutcome ? 'another word' : text;
  return asNumber(text) === undefined && text !== 'true' && text !== 'false' ? excerpt(text) : text;
}

/** Describes a text of which only its negations and its parts are known. */
function describeOther({ name, atoms, literals }: Variable, truth: Candidate['truth']): string {
  const contained = atoms.flatMap(({ index, clause }) => {
    if (clause.kind !== 'comparison' || clause.operator !== 'contains' || clause.right.kind !== 'literal')
      return [];
    return [{ text: clause.right.value, holds: truth.get(index) === true }];
  });
  const holding = contained.filter(({ holds }) => holds).map(({ text }) => text);
  const lacking = contained.filter(({ holds }) => !holds).map(({ text }) => text);
  if (contained.length > 0) {
    const parts = [
      ...(holding.length > 0 ? [`contains ${listNames(holding)}`] : []),
      ...(lacking.length > 0 ? [`does not contain ${listNames(lacking)}`] : []),
    ];
    return `${name} ${parts.join(' and ')}`;
  }
  const comparesNumbers = atoms.some(
    ({ clause }) => clause.kind === 'comparison' && /^[<>]/.test(clause.operator),
  );
  if (comparesNumbers) return `${name} is not a number`;
  const [first, second, third] = literals;
  if (first === undefined) return `${name} is any text`;
  if (second === undefined) return `${name} is not ${wordOf(name, first)}`;
  if (third === undefined) return `${name} is neither ${wordOf(name, first)} nor ${wordOf(name, second)}`;
  return `${name} is not one of ${listNames(literals)}`;
}
