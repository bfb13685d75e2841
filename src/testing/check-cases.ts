import type { Document } from 'yaml';
import type { Diagnostic } from '../diagnostic/diagnostic.js';
import { didYouMean } from '../diagnostic/did-you-mean.js';
import { sortDiagnostics } from '../diagnostic/sort-diagnostics.js';
import type { Program } from '../graph/program.js';
import { checkDeclaredInputs, declaredInputs } from '../graph/values/declared-inputs.js';
import { checkAnswers } from '../run/simulate/check-script.js';
import { RunError } from '../run-directory/run-error.js';
import { finding, type Place, spanAt } from './read-test-file.js';
import { inputsOfCase, type TestCase, type TestFile } from './test-file.js';

/** Mistakes in the cases of a file that only its pipeline shows: unknown nodes, choices and inputs. */
export function checkCases(
  { cases }: TestFile,
  program: Program,
  document: Document.Parsed,
): readonly Diagnostic[] {
  const found = cases.flatMap((one, index) => [
    ...unknownNodes(one, ['cases', index], program, document),
    ...answerProblems(one, ['cases', index], program, document),
    ...inputProblems(one, ['cases', index], program, document),
  ]);
  return sortDiagnostics(found);
}

function unknownNodes(
  { script, expect }: TestCase,
  place: Place,
  program: Program,
  document: Document.Parsed,
): readonly Diagnostic[] {
  const found: Diagnostic[] = [];
  const check = (id: string, at: Place, part: 'key' | 'value'): void => {
    if (program.nodes.has(id)) return;
    const [outer = '', inner] = id.split('/', 2);
    const isOfChild = inner !== undefined && program.nodes.has(outer);
    const message = isOfChild
      ? `"${id}" is a stage of the pipeline that "${outer}" runs; a test replaces "${outer}" as a whole`
      : `the pipeline has no node "${id}"${didYouMean(id, program.nodes.keys())}`;
    const help = isOfChild ? 'test the other pipeline in a file of its own' : undefined;
    found.push(finding('unknown_node', message, spanAt(document, [...place, ...at], part), help));
  };
  for (const id of script.nodes.keys()) check(id, ['script', 'nodes', id], 'key');
  for (const id of script.answers.keys()) check(id, ['script', 'answers', id], 'key');
  for (const key of ['visits', 'prompts'] as const)
    for (const id of expect[key]?.keys() ?? []) check(id, ['expect', key, id], 'key');
  for (const key of ['is', 'contains', 'excludes', 'in_order'] as const)
    for (const [index, id] of (expect.path?.[key] ?? []).entries())
      check(id, ['expect', 'path', key, index], 'value');
  for (const [index, { stage }] of (expect.asked ?? []).entries())
    check(stage, ['expect', 'asked', index, 'stage'], 'value');
  return found;
}

function answerProblems(
  { script: { answers } }: TestCase,
  place: Place,
  program: Program,
  document: Document.Parsed,
): readonly Diagnostic[] {
  return [...answers].flatMap(([id, given]) => {
    if (!program.nodes.has(id)) return [];
    return given.flatMap((answer, index) => {
      try {
        checkAnswers(program, new Map([[id, [answer]]]));
        return [];
      } catch (error) {
        if (!(error instanceof RunError)) throw error;
        const at = [...place, 'script', 'answers', id, index];
        return [finding('unknown_choice', error.message, spanAt(document, at))];
      }
    });
  });
}

function inputProblems(
  one: TestCase,
  place: Place,
  { graph }: Program,
  document: Document.Parsed,
): readonly Diagnostic[] {
  const problems = checkDeclaredInputs(Object.fromEntries(inputsOfCase(one)), declaredInputs(graph));
  return problems.map(({ input, kind, message }) => {
    const at = kind === 'missing' ? ['name'] : ['inputs', input];
    const part = kind === 'undeclared' ? 'key' : 'value';
    return finding('input', `the input "${input}": ${message}`, spanAt(document, [...place, ...at], part));
  });
}
