import path from 'node:path';
import { z } from 'zod';
import { UsageError } from '../../setup/usage-error.js';
import { commandProblem, plainText } from './command-answer.js';
import { textArgument } from './pipeline-argument.js';
import { defineTool } from './tool.js';

/** Plays the cases of test files. */
export const testTool = defineTool({
  name: 'test',
  title: 'Test pipelines',
  description:
    'Plays the cases of .test.yaml files in the simulator: a test file, a pipeline with a test file next to it, or a directory; or a pipeline and its cases as texts. Answers which cases fail and what differs.',
  effects: 'none',
  input: z.strictObject({
    file: z
      .string()
      .optional()
      .describe('Test file, pipeline or directory, inside the working directory; by default all of it'),
    text: textArgument('The pipeline as DOT text, instead of a file; with `tests`').optional(),
    tests: textArgument('The cases as YAML, for a pipeline in `text`').optional(),
    filter: z.string().max(1000).optional().describe('Play only cases with this text in their names'),
  }),
  async call({ file, text, tests, filter }, workbench, { signal }) {
    const args = ['test', '--format', 'json', ...(filter === undefined ? [] : [`--filter=${filter}`]), '--'];
    if (text === undefined && tests === undefined) {
      const where = file === undefined ? '.' : workbench.locate(file);
      return answer(await workbench.attractor([...args, where], { signal }));
    }
    if (file !== undefined || text === undefined || tests === undefined)
      throw new UsageError('give either `file`, or a pipeline in `text` with its cases in `tests`');
    const files = { 'pipeline.dot': text, 'pipeline.test.yaml': tests };
    return workbench.withFiles(files, async (directory) =>
      answer(
        await workbench.attractor([...args, path.join(directory, 'pipeline.test.yaml')], { signal }),
        directory,
      ),
    );
  },
});

interface TestResults {
  readonly passed: number;
  readonly failed: number;
  readonly unusable: number;
  readonly files: readonly {
    readonly file: string;
    readonly diagnostics: readonly {
      readonly line: number;
      readonly column: number;
      readonly message: string;
    }[];
    readonly cases: readonly {
      readonly name: string;
      readonly passed: boolean;
      readonly path: readonly string[];
      readonly mismatches: readonly { readonly line: number; readonly message: string }[];
    }[];
  }[];
}

/** @param directory temporary one, left out of names */
function answer(result: Parameters<typeof commandProblem>[0], directory = '') {
  // 1: a case failed; 2: a file cannot be used, which the results say too.
  if (result.stdout.trim() === '') throw commandProblem(result);
  const printed = directory === '' ? result.stdout : result.stdout.replaceAll(`${directory}${path.sep}`, '');
  const data = JSON.parse(printed) as TestResults;
  const lines = [
    `${data.passed} passed, ${data.failed} failed${data.unusable > 0 ? `, ${data.unusable} unusable` : ''}`,
    ...data.files.flatMap(({ file, diagnostics, cases }) => [
      ...diagnostics.map(({ line, column, message }) => `${file}:${line}:${column}: ${message}`),
      ...cases
        .filter(({ passed }) => !passed)
        .flatMap(({ name, path: taken, mismatches }) => [
          `FAILED ${name} (${file})`,
          ...mismatches.map(({ line, message }) => `  line ${line}: ${message}`),
          `  path: ${taken.join(' -> ')}`,
        ]),
    ]),
    plainText(directory === '' ? result.stderr : ''),
  ];
  // A case that passed needs no more than to be counted.
  const files = data.files
    .map((one) => ({ ...one, cases: one.cases.filter(({ passed }) => !passed) }))
    .filter(({ diagnostics, cases }) => diagnostics.length + cases.length > 0);
  return { text: lines.filter((line) => line !== '').join('\n'), data: { ...data, files } };
}
