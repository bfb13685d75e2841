import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createBackend } from '../../../../src/backends/create-backend.js';
import { pipeline, runOnDisk } from '../../../run/harness.js';
import { temporaryDirectory } from '../../../support/temporary-directory.js';

test('104: an agent with a command line reads a value that is too long for its prompt by the path in it', async () => {
  const text = Array.from({ length: 30_000 }, (_, number) => `finding ${number}`).join('\n');
  const workingDirectory = temporaryDirectory();
  const program = 'file=$(grep -o "/[^\\"]*value-[0-9a-f]*.txt"); tail -n 1 "$file"; echo; wc -c < "$file"';
  const backend = await createBackend('command', {
    workingDirectory,
    settings: { agents: { mine: { command: ['sh', '-c', program], prompt: 'stdin' } } },
  });
  onTestFinished(() => backend.close?.());
  const { result, directory } = await runOnDisk(
    pipeline('work [llm_provider=mine, prompt="Sum up ${inputs.found}"]', 'start -> work -> exit'),
    { backend, workingDirectory, inputs: { found: text } },
  );
  expect(result.failure_reason).toBeUndefined();
  const response = readFileSync(path.join(directory, 'work/response.md'), 'utf8');
  expect(response.trim().split(/\s+/)).toEqual(['finding', '29999', String(text.length)]);
});
