import { describe, expect, it } from 'vitest';
import { compile } from '../../src/compiler/compile.js';
import { knownHandlerTypes } from '../../src/graph/known-handler-types.js';
import { withCases } from '../../src/testing/generate/case-text.js';
import { generateCases } from '../../src/testing/generate/generate-cases.js';
import { tryMutants } from '../../src/testing/mutate/try-mutants.js';
import { readTestFile } from '../../src/testing/read-test-file.js';
import { isPassed, runCase } from '../../src/testing/run-cases.js';
import { corpusFiles } from './corpus.js';

/** Larger ones take longer than all of these together. */
const mostNodes = 12;
const types = knownHandlerTypes();

const files = corpusFiles().filter(({ name, text }) => {
  const { program } = compile(text, { name });
  return program !== undefined && program.nodes.size <= mostNodes;
});

describe.skipIf(files.length === 0)('generated cases of the corpus', () => {
  const changes = { noticed: 0, missed: 0, alike: 0 };

  it.each(files)('pass: $name', async ({ name, text }) => {
    const { program } = compile(text, { name });
    if (program === undefined) throw new Error('it compiled before');
    const { cases, exploration } = await generateCases(program, types);
    const read = readTestFile(withCases(undefined, cases, true), name);
    const own = read.file?.cases ?? [];
    expect(own.length).toBe(cases.length);
    for (const [index, one] of own.entries()) {
      const result = await runCase(program, one, index, read, undefined, () => 0);
      expect(isPassed(result), `${one.name}: ${JSON.stringify(result.mismatches)}`).toBe(true);
    }
    for (const { result } of await tryMutants(program, types, own, exploration)) changes[result] += 1;
  });

  it('notice at least 95 % of the changes that any simulation shows', () => {
    const { noticed, missed } = changes;
    expect(noticed).toBeGreaterThan(100);
    expect(noticed / (noticed + missed)).toBeGreaterThanOrEqual(0.95);
  });
});
