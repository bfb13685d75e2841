import { expect, test } from 'vitest';
import type { JsonValue } from '../../../src/graph/json.js';
import type { FileEdit } from '../../../src/machine/progress.js';
import { editsInInput, shownEdit } from '../../../src/view/conversation/file-edits.js';

const path = 'a.txt';

test.each<[string, JsonValue, readonly FileEdit[]]>([
  ['our tool', { path, old_text: 'a', new_text: 'b' }, [{ path, before: 'a', after: 'b' }]],
  ['Claude Code', { file_path: path, old_string: 'a', new_string: 'b' }, [{ path, before: 'a', after: 'b' }]],
  ['OpenCode', { filePath: path, oldString: 'a', newString: 'b' }, [{ path, before: 'a', after: 'b' }]],
  ['a written file', { file_path: path, content: 'b' }, [{ path, before: null, after: 'b' }]],
  [
    'several edits',
    { path, edits: [{ oldText: 'a', newText: 'b' }, { old_string: 'c', new_string: 'd' }, 7] },
    [
      { path, before: 'a', after: 'b' },
      { path, before: 'c', after: 'd' },
    ],
  ],
  ['a read file', { path }, []],
  ['a command', { command: 'ls', content: 'x' }, []],
  ['no object', 'path', []],
])('finds the edits of %s', (_name, input, edits) => {
  expect(editsInInput(input)).toEqual(edits);
});

function drawn(edit: FileEdit): readonly string[] {
  return shownEdit(edit).lines.map(({ sign, text }) => (sign === 'gap' ? '…' : `${sign}${text}`));
}

test('an edit is shown with the lines around it', () => {
  const lines = Array.from({ length: 20 }, (_, index) => `line ${index}`);
  const before = `${lines.join('\n')}\n`;
  const after = before.replace('line 4\n', 'line four\n').replace('line 17', 'line seventeen');
  expect(drawn({ path, before, after })).toEqual([
    ...[' line 1', ' line 2', ' line 3', '-line 4', '+line four', ' line 5', ' line 6', ' line 7', '…'],
    ...[' line 14', ' line 15', ' line 16', '-line 17', '+line seventeen', ' line 18', ' line 19'],
  ]);
  expect(shownEdit({ path, before, after })).toMatchObject({ added: 2, removed: 2, more: 0 });
});

test('a new file has added lines only', () => {
  expect(drawn({ path, before: null, after: 'a\nb\n' })).toEqual(['+a', '+b']);
  expect(drawn({ path, before: 'a', after: '' })).toEqual(['-a']);
});

test('of a long edit the first lines are shown', () => {
  const after = 'x\n'.repeat(5000);
  expect(shownEdit({ path, before: null, after })).toMatchObject({ added: 5000, more: 4600 });
});
