import { closeSync, ftruncateSync, openSync, statSync, writeFileSync, writeSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { mcpResult } from '../../../../src/backends/ai/mcp-result.js';
import { noRedactor } from '../../../../src/secrets/redactor.js';
import { bench, stage } from '../../../backends/ai/bench.js';
import { eventsOf } from '../../../run/harness.js';
import { calls, says } from '../../../support/mock-models.js';

const size = 50 * 1024 * 1024;
const command = `head -c ${size} /dev/zero | tr '\\0' x`;

/** The most that a model gets of one result, with what is around it. */
const most = 300_000;

test.each<readonly [what: string, call: readonly [string, object]]>([
  ['a command prints', ['run_command', { command }]],
  ['a command prints and fails with', ['run_command', { command: `${command} >&2; exit 3` }]],
  ['read_file reads', ['read_file', { path: 'lines.txt' }]],
  ['read_file reads, in one line,', ['read_file', { path: 'line.txt' }]],
  ['grep finds', ['grep', { pattern: 'x' }]],
])('a result of 50 MB, which %s, reaches the model in part, and the run goes on', async (_what, call) => {
  const it = await bench([calls(call), says('Done.')]);
  writeFileSync(path.join(it.workspace, 'line.txt'), Buffer.alloc(size, 'x'));
  writeFileSync(path.join(it.workspace, 'lines.txt'), `${'x'.repeat(99)}\n`.repeat(size / 100));
  const { result, events, directory } = await it.run(stage('llm_model="claude-sonnet-4-5"'));
  expect(result.failure_reason).toBeUndefined();
  expect(JSON.stringify(it.bodies[1]).length).toBeLessThan(most);
  expect(statSync(path.join(directory, 'work', 'conversation.jsonl')).size).toBeLessThan(most);
  const [told] = eventsOf(events, 'ToolCallCompleted');
  expect(told?.output.length).toBeLessThan(20_000);
});

test('a result of 50 MB of an MCP server is cut, with a note', () => {
  const { text } = mcpResult({ content: [{ type: 'text', text: '🧪'.repeat(size / 2) }] }, noRedactor);
  expect(text.length).toBeLessThan(most);
  expect(text).toMatch(/characters left out …\]$/);
  expect(text).not.toMatch(/\p{Surrogate}/u);
});

test('a file with a hole of 50 GB is read in part', async () => {
  const it = await bench([calls(['read_file', { path: 'hole.txt' }]), says('Done.')]);
  const file = openSync(path.join(it.workspace, 'hole.txt'), 'w');
  writeSync(file, 'begins\n');
  ftruncateSync(file, 50 * 1024 ** 3);
  closeSync(file);
  const { result } = await it.run(stage('llm_model="claude-sonnet-4-5"'));
  expect(result.failure_reason).toBeUndefined();
  expect(JSON.stringify(it.bodies[1]).length).toBeLessThan(most);
});
