import { describe, expect, test } from 'vitest';
import { unknownRoots, unknownRootsInShell } from '../../../src/parser/template/unknown-roots.js';

describe('§12 Values at run time: values of namespaces that there are not', () => {
  test.each([
    ['${run.id}', 'run'],
    ['a ${run.id} b ${files.0.name}', 'run', 'files'],
    ['$$${run.id}', 'run'],
    ['${__proto__.x} ${constructor.name}', '__proto__', 'constructor'],
  ])('in a text: %s', (text, ...roots) => expect(unknownRoots(text).map(({ root }) => root)).toEqual(roots));

  test.each([
    '${context.x}',
    '${HOME}',
    '${run}',
    '${run.}',
    '${run.a-b}',
    '${{ run.id }}',
    '$${run.id}',
    '$run.id',
    '{run.id}',
  ])('nothing in the text: %s', (text) => expect(unknownRoots(text)).toEqual([]));

  test.each([
    ['echo ${run.id} "${run.name}" $((${run.n} + 1))', 'run', 'run', 'run'],
    ['cat <<E\n${run.id}\nE', 'run'],
  ])('in a command: %j', (text, ...roots) => {
    expect(unknownRootsInShell(text).map(({ root }) => root)).toEqual(roots);
  });

  test.each([
    'echo ${context.x} ${HOME} ${x%.txt} ${x:-a.b}',
    "node -e 'console.log(`${process.version}`)'",
    "cat <<'E'\n${run.id}\nE",
    'true # ${run.id}',
    'echo \\${run.id}',
  ])('nothing in the command: %j', (text) => expect(unknownRootsInShell(text)).toEqual([]));

  test('with their places', () => {
    const text = 'For ${run.id}';
    expect(unknownRoots(text)).toEqual([
      { path: 'run.id', root: 'run', span: { start: 4, end: text.length } },
    ]);
  });
});
