import { describe, expect, it } from 'vitest';
import { findImpurities } from './find-impurities.js';

const impure = [
  'Date.now()',
  'new Date()',
  'new Date',
  'Date()',
  'Math.random()',
  '[1].map(Math.random)',
  'process.env',
  "process['env']",
  'console.log(1)',
  'globalThis.fetch',
  'performance.now()',
  'setTimeout(done, 1)',
];
const pure = [
  'new Date(0)',
  'new Date(input.timestamp).toISOString()',
  'Date.parse(text)',
  'Math.max(1, 2)',
  'run.process.id',
  '// Date.now() is not for us',
  "'process.env'",
  'state.console',
];

describe('find impurities', () => {
  it.each(impure)('%s is one', (text) => {
    expect(findImpurities(`const a = 1;\n${text};`)).toHaveLength(1);
  });
  it.each(pure)('%s is none', (text) => {
    expect(findImpurities(text)).toEqual([]);
  });
  it('says where', () => {
    expect(findImpurities('const a = 1;\nconst b = Date.now();')).toEqual(['2: Date.now']);
  });
});
