import type { GivenValue } from './stage-schema.js';

const words: Readonly<Record<GivenValue['by'], string>> = {
  output: 'JSON of the output',
  writes: 'in writes',
  assign: 'by assign',
  merge: '',
  update: '',
  engine: '',
};

/** Source of a value that a visit gave, in words for people; empty where there is nothing to add. */
export function givenWords({ by, merge }: GivenValue): string {
  if (merge === undefined) return words[by];
  const { policy, branch, count } = merge;
  if (count === 1) return `merged from ${branch}`;
  if (policy === 'error') return `merged, the same in ${count.toLocaleString('en')} branches`;
  const position = policy === 'last_wins' ? 'last' : 'first';
  return `merged from ${branch}, the ${position} of ${count.toLocaleString('en')} branches that set it`;
}
