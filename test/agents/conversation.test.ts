import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readConversation } from '../../src/run-directory/conversation-file.js';
import { callInput } from '../../src/view/conversation/call-input.js';
import { conversationSteps, type TurnPart } from '../../src/view/conversation/conversation-steps.js';
import { toolCallText } from '../../src/view/tool-call-text.js';
import { says } from '../support/mock-models.js';
import { benchFor, type RealAgent, runs, usage, withEachAgent } from './real-agents.js';

/** Part of a turn as people see it. */
function shown(part: TurnPart): string {
  if (part.kind === 'words') return part.channel === 'response' ? part.text.trim() : '';
  const { tool, input, title, result } = part;
  return [toolCallText(tool, input, title), callInput(part), result?.success, result?.output].join(' | ');
}

/** Codex calls a command that reads one file a view of it over the protocol, and sends neither the command nor its output. */
function failedCall({ name, protocol }: RealAgent): RegExp {
  return name === 'codex' && protocol === 'acp'
    ? /Read file .*there-is-no-such-file.*\| false \| $/s
    : /cat there-is-no-such-file.*No such file/s;
}

withEachAgent('', (agent) => {
  test('123: leaves a conversation with its words, its calls and their results', async () => {
    const { run } = await benchFor(agent, [
      runs(agent, 'expr 41 + 1', 'First I count.'),
      runs(agent, 'cat there-is-no-such-file'),
      says('All **done**.', { usage: usage(3000, 300) }),
    ]);
    const { result, directory } = await run();
    expect(result, result.failure_reason).toMatchObject({ status: 'success' });
    const bytes = readFileSync(path.join(directory, 'work/conversation.jsonl'));
    const { entries, problem } = readConversation(bytes);
    expect(problem).toBeUndefined();
    const steps = conversationSteps(entries);
    expect(steps[0]).toMatchObject({ kind: 'attempt', backend: `${agent.protocol}:${agent.name}` });
    expect(steps[1]).toMatchObject({ kind: 'request', isPrompt: true });
    expect(JSON.stringify(steps[1])).toContain('Look around');
    const parts = steps.flatMap((step) => (step.kind === 'turn' ? step.parts.map(shown) : []));
    const told = [
      /First I count\./,
      /expr 41 \+ 1.*\| true \| 42/s,
      failedCall(agent),
      /^All \*\*done\*\*\.$/,
    ];
    const places = told.map((pattern) => parts.findIndex((part) => pattern.test(part)));
    expect(places, parts.join('\n')).toEqual([...places].sort((one, other) => one - other));
    expect(places, parts.join('\n')).not.toContain(-1);
    expect(steps.filter(({ kind }) => kind === 'turn').length).toBeGreaterThanOrEqual(3);
    const used = steps.flatMap((step) => (step.kind === 'turn' ? (step.used?.usage.input_tokens ?? 0) : []));
    expect(used.reduce((sum, tokens) => sum + tokens, 0)).toBe(5000);
    expect(steps.at(-1)?.kind).toBe('answer');
  });
});
