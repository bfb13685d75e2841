import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { attractor } from '../../cli/attractor.js';
import { directoryWith } from '../../support/directory-with.js';
import { calls, mockModels, says } from '../../support/mock-models.js';

const example = path.resolve(import.meta.dirname, '../../../examples/greeting.dot');

const program = (body: string) => ({ path: 'greet.mjs', content: `${body}\n` });

/** A model that forgets the name at first. */
const script = {
  'Write a program for Node': [
    calls(['write_file', program('console.log("Hello!")')]),
    calls(['report_outcome', { outcome: 'success', notes: 'wrote greet.mjs' }]),
  ],
  'Repair greet.mjs': [
    calls(['write_file', program('console.log("Hello, " + process.argv[2] + "!")')]),
    says('The name is in the greeting now.'),
  ],
};

/** What the README tells a newcomer to type, with a server of this test in place of the provider's. */
test.each([
  { name: 'Anthropic', args: ['--model', 'claude-sonnet-4-5'], shown: 'claude-sonnet-4-5' },
  { name: 'OpenAI', args: ['--model', 'gpt-5.2'], shown: 'gpt-5.2' },
  { name: 'Google', args: ['--model', 'gemini-2.5-pro'], shown: 'gemini-2.5-pro' },
  { name: 'Ollama', args: ['--provider', 'ollama', '--model', 'qwen3'], shown: 'ollama/qwen3' },
])('a first pipeline with a model of $name writes, tests and repairs a program', async ({ args, shown }) => {
  const models = await mockModels(script);
  const cwd = directoryWith({});
  const env = { ...models.variables, OLLAMA_HOST: models.url };
  const { status, stdout, stderr } = await attractor(['run', example, '--run-dir', 'r', ...args], {
    cwd,
    env,
  });
  expect(stderr).toBe('');
  expect(stdout).toContain(`  models: ${shown} for write, repair\n`);
  expect(stdout).toMatch(/✔ write .*\n✖ test .*\n◆ passed .*\n✔ repair .*\n✔ test /);
  expect(stdout).toMatch(/all stages +4 /);
  expect(status).toBe(0);
  expect(readFileSync(path.join(cwd, 'greet.mjs'), 'utf8')).toContain('process.argv[2]');
});

test('without its key, it says what is missing, and asks nobody', async () => {
  const cwd = directoryWith({});
  const args = ['run', example, '--run-dir', 'r', '--model', 'claude-sonnet-4-5'];
  const { status, stderr } = await attractor(args, { cwd });
  expect(stderr).toContain('error[model]: ANTHROPIC_API_KEY is not set (write, repair)\n');
  expect(status).toBe(2);
  expect(readdirSync(cwd)).toEqual([]);
});
