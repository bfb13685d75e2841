import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { eventsOf, fileOf, jsonOf, testEach } from '../../run/harness.js';
import { calls, says } from '../../support/mock-models.js';
import { bench, models, stage } from './bench.js';

describe('4.5: a model of every provider edits a file and reports an outcome', () => {
  testEach(models, async ({ provider, attributes }) => {
    const { run, workspace, mock } = await bench([
      calls(['read_file', { path: 'notes.txt' }]),
      calls(['edit_file', { path: 'notes.txt', old_text: 'red', new_text: 'green' }]),
      calls(['run_command', { command: 'cat notes.txt' }]),
      calls(['report_outcome', { outcome: 'success', preferred_label: 'Ship', notes: 'It is green.' }]),
    ]);
    writeFileSync(path.join(workspace, 'notes.txt'), 'the light is red\n');
    const { result, events, directory } = await run(
      stage(attributes, 'work -> exit [label="Ship"]', 'work -> work [label="Again"]'),
    );
    expect(result.failure_reason).toBeUndefined();
    expect(result.status).toBe('success');
    expect(result.path).toEqual(['start', 'work', 'exit']);
    expect(readFileSync(path.join(workspace, 'notes.txt'), 'utf8')).toBe('the light is green\n');
    expect(fileOf(directory, 'work', 'response.md')).toBe('It is green.');
    expect(jsonOf(directory, 'work', 'status.json')).toMatchObject({ preferred_label: 'Ship' });
    expect(mock.requests()).toHaveLength(4);
    const tools = eventsOf(events, 'ToolCallCompleted').map(({ tool, success }) => [tool, success]);
    expect(tools).toEqual([
      ['read_file', true],
      ['edit_file', true],
      ['run_command', true],
      ['report_outcome', true],
    ]);
    expect(eventsOf(events, 'ToolCallCompleted')[2]?.output).toBe('exit code 0\nthe light is green\n');
    const uses = eventsOf(events, 'ModelUsed');
    expect(uses).toHaveLength(4);
    expect(uses[0]).toMatchObject({ provider, usage: { requests: 1 } });
  });
});

describe('4.5: a model of every provider streams its answer and tells what it used', () => {
  testEach(models, async ({ attributes, provider }) => {
    const used: Readonly<Record<string, number>> = {
      anthropic: { input_tokens: 11, output_tokens: 7 },
      openai: { input_tokens: 11, output_tokens: 7 },
      google: { promptTokenCount: 11, candidatesTokenCount: 7 },
      local: { prompt_tokens: 11, completion_tokens: 7 },
    }[provider];
    const answer = 'The answer is long enough to come in more than one piece. '.repeat(20);
    const { run } = await bench([says(answer, { usage: used })]);
    const { result, events, directory } = await run(stage(attributes));
    expect(result.failure_reason).toBeUndefined();
    expect(fileOf(directory, 'work', 'response.md')).toBe(answer);
    const pieces = eventsOf(events, 'StageOutput');
    expect(pieces.length).toBeGreaterThan(1);
    expect(pieces.map(({ text }) => text).join('')).toBe(answer);
    expect(eventsOf(events, 'ModelUsed')[0]?.usage).toMatchObject({ input_tokens: 11, output_tokens: 7 });
  });
});

test('streams what a model thinks besides what it answers', async () => {
  const { run } = await bench([says('42', { reasoning: 'six times seven' })]);
  const { events } = await run(stage('llm_model="claude-sonnet-4-5"'));
  const said = eventsOf(events, 'StageOutput').map(({ channel, text }) => [channel, text]);
  expect(said).toEqual([
    ['reasoning', 'six times seven'],
    ['response', '42'],
  ]);
});
