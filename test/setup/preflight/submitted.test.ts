import { describe, expect, test } from 'vitest';
import { compile } from '../../../src/compiler/compile.js';
import { emptyScript } from '../../../src/run-directory/simulation-script.js';
import { extensionsFor } from '../../../src/setup/extensions.js';
import { type PreflightCall, preflight } from '../../../src/setup/preflight/preflight.js';
import { pipeline } from '../../run/harness.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

/** What is found about a pipeline on a machine that has nothing. */
async function found(isSubmitted: boolean, ...statements: readonly string[]) {
  const directory = temporaryDirectory();
  const { graph, program } = compile(pipeline(...statements));
  if (program === undefined) throw new Error('the pipeline is not valid');
  const call: PreflightCall = {
    graph,
    extensions: await extensionsFor('-', { config: false }, { cwd: () => directory, env: {} }),
    workingDirectory: directory,
    variables: {},
    simulate: false,
    script: emptyScript,
    isSubmitted,
    areFilesLinted: true,
    childDirectory: directory,
    inputs: {},
  };
  const { findings } = await preflight(call);
  return findings.map(({ check, severity, message }) => `${severity} ${check}: ${message}`);
}

describe('a run that workers of a cluster execute', () => {
  test.each([
    [
      'the key of a model',
      ['a [llm_provider=anthropic, llm_model="claude-sonnet-4-5"]', 'start -> a -> exit'],
      ['warning model: on this machine, ANTHROPIC_API_KEY is not set'],
    ],
    [
      'a variable',
      ['graph [env_requires="TOKEN"]', 'start -> exit'],
      ['warning environment: on this machine, $TOKEN, which `env_requires` names, is not set'],
    ],
    ['a program', ['a [shape=parallelogram, tool_command="flyctl deploy"]', 'start -> a -> exit'], []],
  ])('is not refused because this machine lacks %s', async (_, statements, expected) => {
    expect(await found(true, ...statements)).toEqual(expected);
    expect(await found(false, ...statements)).toHaveLength(1);
  });

  test('is refused for what is wrong on every machine', async () => {
    const statements = ['graph [inputs="version: string"]', 'start -> exit'];
    const expected = [expect.stringMatching(/^error input: /)];
    expect(await found(true, ...statements)).toEqual(expected);
    expect(await found(false, ...statements)).toEqual(expected);
  });
});
