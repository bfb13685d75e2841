import type { GivenValue } from './stage-schema.js';

/** Sources of the values that a visit gave, in words for people; empty where there is nothing to add. */
export const givenWords: Readonly<Record<GivenValue['by'], string>> = {
  output: 'JSON of the output',
  writes: 'in writes',
  assign: 'by assign',
  update: '',
  engine: '',
};
