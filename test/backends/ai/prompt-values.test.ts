import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { eventsOf, resumePipeline, runOnDisk, testEach } from '../../run/harness.js';
import { type MockTurn, says } from '../../support/mock-models.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { bench, models, stage } from './bench.js';

const lines = Array.from({ length: 30_000 }, (_, number) => `finding ${number}: unused variable`);
const text = lines.join('\n');
const [{ attributes }] = models;

/** A call of a tool with the path that the prompt names. */
function callsWithPath(tool: string, input: object): MockTurn {
  return {
    response(request) {
      const [, file] = /file \\?"([^"\\]+)\\?"/.exec(JSON.stringify(request.messages)) ?? [];
      return { toolCalls: [{ name: tool, arguments: JSON.stringify({ path: file, ...input }) }] };
    },
  };
}

const outputs = (events: Parameters<typeof eventsOf>[0]) =>
  eventsOf(events, 'ToolCallCompleted').map(({ output }) => String(output));

const prompted = (more = 'max_retries=0') =>
  stage(`${attributes}, ${more}`).replace('Do the work.', 'Sum up ${inputs.found}');

describe('104: a model reads a value that is too long for its prompt', () => {
  test('line by line, and by searching it', async () => {
    const { run, mock } = await bench([
      callsWithPath('read_file', { offset: 29_999 }),
      callsWithPath('grep', { pattern: 'finding 1234:' }),
      says('Two.'),
    ]);
    const { result, events } = await run(prompted(), { inputs: { found: text } });
    expect(result.context.last_response).toBe('Two.');
    const [read = '', searched = ''] = outputs(events);
    expect(read).toBe(`${lines.slice(-2).join('\n')}\n[lines 29999 to 30000 of 30000]`);
    expect(searched).toMatch(/value-[0-9a-f]{16}\.txt:1235: finding 1234: unused variable$/);
    expect(JSON.stringify(mock.requests()[0]?.body)).not.toContain('finding 29999');
  });

  test('which it cannot change', async () => {
    const { run, runDirectory } = await bench([
      callsWithPath('write_file', { content: 'nothing' }),
      callsWithPath('edit_file', { old_text: 'finding 1:', new_text: 'x' }),
      says('Done.'),
    ]);
    const { events } = await run(prompted(), { inputs: { found: text } });
    for (const output of outputs(events)) expect(output).toContain('outside the working directory');
    const [, file = ''] =
      /file "([^"]+)"/.exec(readFileSync(path.join(runDirectory, 'work/prompt.md'), 'utf8')) ?? [];
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  testEach<{ name: string; tools: string; fails: boolean }>(
    [
      { name: 'none', tools: 'none', fails: true },
      { name: 'others', tools: 'grep, write_file', fails: true },
      { name: 'read_file among others', tools: 'grep, read_file', fails: false },
      { name: 'commands', tools: 'run_command', fails: false },
    ],
    async ({ tools, fails }) => {
      const { run, mock } = await bench([says('Done.')]);
      const { result } = await run(prompted(`tools="${tools}", max_retries=2`), { inputs: { found: text } });
      expect(mock.requests()).toHaveLength(fails ? 0 : 1);
      if (!fails) return expect(result.status).toBe('success');
      expect(result.failure_reason).toContain(`\${inputs.found} (${text.length} bytes) is too long`);
    },
  );

  test('commands that are not allowed read nothing', async () => {
    const { settings, workspace, mock } = await bench([says('Done.')]);
    const { aiBackend } = await import('../../../src/backends/ai/ai-backend.js');
    const backend = await aiBackend.create({
      ...{ settings, workingDirectory: workspace, variables: mock.variables, mayRunCommands: false },
    });
    const { result } = await runOnDisk(prompted('tools="run_command"'), {
      inputs: { found: text },
      ...{ backend, workingDirectory: workspace },
    });
    expect(result.failure_reason).toContain('cannot read it from a file');
    await backend.close?.();
  });

  test('is asked with the same prompt when it runs again, after a failure or an interruption', async () => {
    const { run, setup, mock, runDirectory } = await bench([
      { response: { error: { message: 'no', type: 'invalid_request_error' }, status: 400 } },
      says('Done.'),
    ]);
    const failed = await run(prompted(), { inputs: { found: text } });
    expect(failed.result.status).toBe('fail');
    const { result } = await resumePipeline(runDirectory, await setup());
    expect(result.status).toBe('success');
    const named = mock.requests().map(({ body }) => /value-[0-9a-f]+/.exec(JSON.stringify(body))?.[0]);
    expect(named).toHaveLength(2);
    expect(named[0]).toBe(named[1]);
  });
});

describe('104: read_file reads such files, and nothing else outside', () => {
  test('neither a link nor another name', async () => {
    const { confinedPath, readablePath } = await import('../../../src/backends/ai/tools/confined-path.js');
    const directory = temporaryDirectory();
    const [root, runDirectory] = [path.join(directory, 'work'), path.join(directory, 'run')];
    mkdirSync(path.join(runDirectory, 'a'), { recursive: true });
    mkdirSync(root);
    writeFileSync(path.join(directory, 'secret'), 'secret');
    writeFileSync(path.join(runDirectory, 'a/value-0123456789abcdef.txt'), 'x');
    symlinkSync('../../secret', path.join(runDirectory, 'a/value-0000000000000000.txt'));
    const place = { root, runDirectory };
    const allowed = path.join(runDirectory, 'a/value-0123456789abcdef.txt');
    expect(await readablePath(place, allowed)).toBe(allowed);
    for (const file of [
      path.join(runDirectory, 'a/value-0000000000000000.txt'),
      path.join(runDirectory, 'events.jsonl'),
      path.join(runDirectory, 'a/value-0123456789abcdef.txt.sh'),
      path.join(directory, 'value-0123456789abcdef.txt'),
    ])
      await expect(readablePath(place, file)).rejects.toThrow('outside the working directory');
    await expect(confinedPath(place, allowed)).rejects.toThrow('outside the working directory');
  });
});
