import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { CodergenBackend } from '../../src/handlers/codergen-backend.js';
import { conversationEntries } from '../../src/run-directory/conversation-schema.js';
import { fileOf, pipeline, runPipeline } from '../run/harness.js';
import { root } from './markdown.js';

const file = path.join(root, 'docs/conversation.schema.json');

/** Schema of a line, open as that of events: a later version may say more. */
function conversationJsonSchema(): object {
  const { $schema, ...union } = z.toJSONSchema(z.discriminatedUnion('kind', conversationEntries), {
    io: 'input',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
    },
  });
  return {
    $schema,
    title: 'Entry of a conversation',
    description: 'One line of `conversation.jsonl`, the conversation of a stage with its model or agent.',
    ...union,
  };
}

const backend: CodergenBackend = {
  run(_node, _prompt, _context, { attempt, report, conversation }) {
    report({ kind: 'text', channel: 'reasoning', text: 'Hm.' });
    report({ kind: 'session_started', backend: 'own', session_id: 's' });
    report({ kind: 'tool_call_started', call_id: '1', tool: 'edit', input: { path: 'a' }, title: 'Edit a' });
    const edits = [{ path: 'a', before: null, after: 'b' }];
    const end = { call_id: '1', tool: 'edit', success: true, output: '', duration: 1.5, edits };
    report({ kind: 'tool_call_completed', ...end });
    const usage = { requests: 1, input_tokens: 12, output_tokens: 3, cost_usd: 0.5 };
    report({ kind: 'model_used', provider: 'p', model: 'm', usage });
    conversation?.add({ kind: 'person', text: 'Use tabs.', question: 'Tabs?', by: 'Ada' });
    const outcome = { status: 'retry', failure_reason: 'not yet' } as const;
    return Promise.resolve(attempt === 1 ? { response: 'No.', outcome } : 'Yes.');
  },
};

describe('the schema of conversations', () => {
  it('is docs/conversation.schema.json', async () => {
    await expect(`${JSON.stringify(conversationJsonSchema(), null, 2)}\n`).toMatchFileSnapshot(file);
  });

  it('123: fits a real conversation, and nothing else', async () => {
    const dot = pipeline('work [prompt="Do it.", max_retries=1]', 'start -> work -> exit');
    const { directory } = await runPipeline(dot, { backend });
    const lines = fileOf(directory, 'work', 'conversation.jsonl').trimEnd().split('\n');
    const ajv = new Ajv2020();
    addFormats.default(ajv);
    const validate = ajv.compile(JSON.parse(readFileSync(file, 'utf8')));
    const problems = lines.map((line) =>
      validate(JSON.parse(line)) ? '' : `${line}: ${ajv.errorsText(validate.errors)}`,
    );
    expect(problems.filter((problem) => problem !== '')).toEqual([]);
    const kinds = new Set(lines.map((line) => JSON.parse(line).kind));
    for (const kind of [
      'begun',
      'user',
      'person',
      'assistant',
      'tool_result',
      'usage',
      'session',
      'answered',
      'retried',
    ])
      expect(kinds, kind).toContain(kind);
    expect(validate({ kind: 'assistant', at: '2026-01-01T00:00:00.000Z' })).toBe(false);
    expect(validate({ kind: 'unknown', at: '2026-01-01T00:00:00.000Z' })).toBe(false);
  });
});
