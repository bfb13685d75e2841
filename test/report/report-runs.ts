import path from 'node:path';
import type { CodergenBackend } from '../../src/handlers/codergen-backend.js';
import type { Handler } from '../../src/handlers/handler.js';
import { runProject } from '../run/children/children.js';
import { pipeline, runOnDisk } from '../run/harness.js';

const childDot = pipeline('draft [type=model, prompt="Draft it"]', 'start -> draft -> exit');

/** Asks a model, calls tools, leaves files, and fails the first time. */
function model(): Handler['execute'] {
  let count = 0;
  return (stage) => {
    count += 1;
    stage.writeFile('prompt.md', `Do the work of ${stage.node.id}`);
    const usage = { requests: 1, input_tokens: 1200, output_tokens: 300, cost_usd: 0.0123 };
    stage.report({ kind: 'model_used', provider: 'anthropic', model: 'claude-sonnet-4-5', usage });
    stage.report({ kind: 'tool_call_started', call_id: '1', tool: 'read_file', input: { path: 'a.ts' } });
    const end = { success: true, output: 'export const a = 1;', duration: 12 };
    stage.report({ kind: 'tool_call_completed', call_id: '1', tool: 'read_file', ...end });
    if (count === 1) return { status: 'retry', failure_reason: 'the model was busy' };
    stage.writeFile('response.md', `# Done\n\nIt was the ${count}th time.`);
    stage.writeFile('stdout.log', 'x'.repeat(60_000));
    stage.writeFile('left.bin', 'left by a program');
    stage.artifacts.store('findings', 'What was found', ['nothing']);
    stage.log('warning', 'the model answered slowly');
    return {
      status: 'success',
      context_updates: { answer: { of: 'everything', is: 42 } },
      notes: 'done well',
    };
  };
}

/** A run with all that a report tells of: a model, tools, a retry, a question, a child run, a warning, a failure. */
export async function runWithEverything(): Promise<string> {
  const dot = pipeline(
    'goal="Tell of everything"',
    'work [type=model, max_retries=2, label="Work on it"]',
    'ask [shape=hexagon, type="wait.human", label="Is it good?"]',
    'below [type="pipeline", child="child.dot", label="Run another one"]',
    'end [type=fails, label="Publish it"]',
    'start -> work -> ask',
    'ask -> below [label="[Y] Yes"]',
    'ask -> work [label="[N] No"]',
    'below -> end -> exit',
  );
  const fails: Handler['execute'] = () => ({ status: 'fail', failure_reason: 'the registry is closed' });
  const files = { 'main.dot': dot, 'child.dot': childDot };
  const { directory } = await runProject(files, {
    answers: { ask: ['N', 'Y'] },
    inputs: { audience: 'everybody', rounds: 3 },
    handlers: { model: model(), fails },
  });
  return directory;
}

/** A run whose every text tries to become a part of the page. */
export async function hostileRun(attack: string): Promise<string> {
  const quoted = JSON.stringify(attack);
  const dot = pipeline(
    `goal=${quoted}`,
    `label=${quoted}`,
    `a [type=evil, label=${quoted}, prompt=${quoted}]`,
    `g [shape=hexagon, type="wait.human", label=${quoted}]`,
    `start -> a [label=${quoted}]`,
    'a -> g',
    `g -> exit [label=${quoted}]`,
  );
  const evil: Handler['execute'] = (stage) => {
    for (const name of ['prompt.md', 'response.md', 'stdout.log', 'stderr.log'])
      stage.writeFile(name, attack);
    stage.report({ kind: 'tool_call_started', call_id: '1', tool: attack, input: { [attack]: attack } });
    stage.report({
      kind: 'tool_call_completed',
      call_id: '1',
      tool: attack,
      success: false,
      output: attack,
      duration: 1,
    });
    const usage = { requests: 1, input_tokens: 1, output_tokens: 1 };
    stage.report({ kind: 'model_used', provider: attack, model: attack, usage });
    stage.log('warning', attack);
    stage.artifacts.store('a', attack, attack);
    return {
      status: 'success',
      notes: attack,
      context_updates: { [attack]: attack, key: { [attack]: attack } },
    };
  };
  return (await runOnDisk(dot, { autoApprove: true, handlers: { evil } })).directory;
}

/** Words of a model that try to become a part of the page. */
const hostileWords = [
  '# Plan',
  '- **look**',
  '',
  '[run](javascript:alert(1)) [notes](https://example.org/a"b) ![pixel](https://example.org/p.png)',
  '<img src=x onerror=alert(1)><script>alert(1)</script>',
].join('\n');

const conversing: CodergenBackend = {
  run(_node, _prompt, _context, { attempt, report, conversation }) {
    report({ kind: 'text', channel: 'reasoning', text: 'First I look.' });
    report({ kind: 'text', channel: 'response', text: hostileWords });
    const usage = { requests: 1, input_tokens: 1234, output_tokens: 5, cost_usd: 0.25 };
    report({ kind: 'model_used', provider: 'p', model: 'm', usage });
    const input = { command: 'npm test', timeout: 5 };
    report({ kind: 'tool_call_started', call_id: '1', tool: 'run_command', input });
    const output = `\u001b[31mFAIL\u001b[0m <b>\n${'x'.repeat(10_000)}`;
    const end = { success: false, output, duration: 1500 };
    report({ kind: 'tool_call_completed', call_id: '1', tool: 'run_command', ...end });
    const edit = { path: 'a.txt', old_text: 'one\ntwo\n', new_text: 'one\nthree\n' };
    report({ kind: 'tool_call_started', call_id: '2', tool: 'edit_file', input: edit });
    const edited = { success: true, output: 'Replaced one occurrence.', duration: 3 };
    report({ kind: 'tool_call_completed', call_id: '2', tool: 'edit_file', ...edited });
    conversation?.add({ kind: 'person', text: 'Use tabs.', question: 'Tabs?', by: 'Ada' });
    const outcome = { status: 'retry', failure_reason: 'tests are red' } as const;
    return Promise.resolve(attempt === 1 ? { response: 'Not yet.', outcome } : 'Done.');
  },
};

/** A run whose stage has a conversation with all that one can have, in two attempts. */
export async function conversingRun(): Promise<{ readonly directory: string; readonly file: string }> {
  const dot = pipeline(
    'work [prompt="Make it green.", max_retries=1, retry_policy=none]',
    'start -> work -> exit',
  );
  const { directory } = await runOnDisk(dot, { backend: conversing });
  return { directory, file: path.join(directory, 'work/conversation.jsonl') };
}
