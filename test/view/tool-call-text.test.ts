import { expect, test } from 'vitest';
import { toolCallText } from '../../src/view/tool-call-text.js';

test.each([
  ['run_command', { command: 'npm test\nnpm run lint', timeout: 5 }, 'run_command npm test'],
  ['edit_file', { old: 'a', path: 'src/math.ts' }, 'edit_file src/math.ts'],
  ['Write', { file_path: '/work/hello.txt', content: 'hi' }, 'Write /work/hello.txt'],
  ['grep', { pattern: 'x+' }, 'grep x+'],
  ['report_outcome', { outcome: 'success' }, 'report_outcome {"outcome":"success"}'],
  ['list_files', {}, 'list_files'],
  ['list_files', null, 'list_files'],
  ['say', 'good morning', 'say good morning'],
  ['add', [1, 2], 'add [1,2]'],
  ['constructor', { constructor: 1 }, 'constructor {"constructor":1}'],
  ['run_command', { command: 'printf "\u001b[2J"' }, 'run_command printf "␛[2J"'],
  ['read', { path: 'x'.repeat(200) }, `read ${'x'.repeat(79)}…`],
])('%s %j', (tool, input, text) => {
  expect(toolCallText(tool, input)).toBe(text);
});

test.each([
  ['edit', 'Edit src/math.ts', 'Edit src/math.ts'],
  ['Bash', '`npm test`', 'Bash `npm test`'],
])('%s with the title %j', (tool, title, text) => {
  expect(toolCallText(tool, { path: 'x' }, title)).toBe(text);
});
