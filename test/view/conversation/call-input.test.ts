import { expect, test } from 'vitest';
import type { JsonValue } from '../../../src/graph/json.js';
import type { FileEdit } from '../../../src/machine/progress.js';
import { callInput } from '../../../src/view/conversation/call-input.js';

const edit: FileEdit = { path: 'a', before: 'b', after: 'c' };

test.each<readonly [what: string, input: JsonValue, edits: readonly FileEdit[], text: string]>([
  ['nothing', null, [], ''],
  ['what the title says', { command: 'npm test' }, [], ''],
  ['a text that the title says', 'npm test', [], ''],
  ['what a diff shows', { path: 'a', old_text: 'b', new_text: 'c' }, [edit], ''],
  ['more than the title says', { command: 'npm test', timeout: 5 }, [], 'command: npm test\ntimeout: 5'],
  ['a text of several lines', { command: 'cat <<E\nhello\nE' }, [], 'command:\ncat <<E\nhello\nE'],
  ['a long text', { command: 'x'.repeat(100) }, [], `command: ${'x'.repeat(100)}`],
  ['a list in a field', { paths: ['a', 'b'] }, [], 'paths:\n[\n  "a",\n  "b"\n]'],
  ['a list', [1], [], '[\n  1\n]'],
  ['no fields', {}, [], ''],
])('the input of a call is shown: %s', (_what, input, edits, text) => {
  expect(callInput({ tool: 'run_command', input, edits })).toBe(text);
});
