import { describe, expect, test } from 'vitest';
import type { RunEvent } from '../../src/machine/event.js';
import { activeStages } from '../../src/view/active-stages.js';
import { applyAll } from '../../src/view/fold/apply.js';
import { hearText } from '../../src/view/fold/apply-progress.js';
import { emptyView, narrowScope } from '../../src/view/fold/run-view.js';
import { visitUnderWay } from '../../src/view/stage-activity.js';

const header = { seq: 1, run_id: 'r', timestamp: '2026-01-01T00:00:00Z', description: '' };
const stage = { ...header, node_id: 'a', name: 'A', index: 1, visit: 1, attempt: 1 };

const begun = (branch?: string, index = 1): RunEvent => ({ ...stage, type: 'StageStarted', index, branch });
const says = (text: string, channel: 'response' | 'reasoning' = 'response', branch?: string): RunEvent => ({
  ...stage,
  type: 'StageOutput',
  channel,
  text,
  branch,
});
const used: RunEvent = {
  ...stage,
  type: 'ModelUsed',
  provider: 'acme',
  model: 'm',
  usage: { requests: 1, input_tokens: 1, output_tokens: 1 },
};
const calls = (call_id: string, path: string): RunEvent => ({
  ...stage,
  type: 'ToolCallStarted',
  call_id,
  tool: 'read_file',
  input: { path },
});
const returns = (call_id: string): RunEvent => ({
  ...stage,
  type: 'ToolCallCompleted',
  call_id,
  tool: 'read_file',
  success: true,
  output: '',
  duration: 1,
});
const retries: RunEvent = {
  ...stage,
  type: 'RequestRetrying',
  provider: 'acme',
  model: 'm',
  reason: 'HTTP 429',
  error: '',
  delay: 20_000,
  request_attempt: 2,
  request_attempts: 6,
  discards_text: true,
};

const viewOf = (...events: readonly RunEvent[]) =>
  applyAll(emptyView({ ...narrowScope, text: 1000 }), events);
const doing = (...events: readonly RunEvent[]) => activeStages(viewOf(begun(), ...events))[0]?.doing;

describe('what a stage does now', () => {
  test.each<readonly [string | null, readonly RunEvent[]]>([
    [null, []],
    ['and now the tests', [says('First the code,\n\nand  now '), says('the\ttests\n')]],
    ['read_file a.ts', [says('Let me see'), calls('1', 'a.ts')]],
    ['read_file b.ts', [calls('1', 'a.ts'), calls('2', 'b.ts')]],
    ['read_file a.ts', [calls('1', 'a.ts'), calls('2', 'b.ts'), returns('2')]],
    ['thinking after read_file a.ts', [calls('1', 'a.ts'), returns('1'), returns('unknown')]],
    ['Done', [calls('1', 'a.ts'), returns('1'), says('Done')]],
    ['waiting 20 s after HTTP 429', [says('Half a'), retries]],
    ['Second.', [says('First.'), used, says('Second.')]],
    ['answer', [says('thought', 'reasoning'), says('answer')]],
    ['Again', [says('Half a'), retries, says('Again')]],
    [null, [calls('1', 'a.ts'), begun()]],
    [`${'x'.repeat(299)}y`, [says(`${'x'.repeat(5000)}y`)]],
  ])('%s', (text, events) => {
    expect(doing(...events)).toBe(text);
  });

  test('is known before the event that has the text, and not twice', () => {
    const view = viewOf(begun(), says('One '), retries);
    const now = () => activeStages(view)[0]?.doing;
    const hear = (text: string) => hearText(view, undefined, { channel: 'response', text });
    hear('Two ');
    hear('three ');
    expect(now()).toBe('Two three');
    applyAll(view, [says('Two ')]);
    hear('four');
    expect(now()).toBe('Two three four');
    applyAll(view, [says('three four')]);
    expect(now()).toBe('Two three four');
    hear(' five');
    applyAll(view, [retries, says('Again')]);
    expect(now()).toBe('Again');
  });

  test('is told apart for each branch of a list, which have the same node', () => {
    const view = viewOf(
      begun('a#1', 1),
      begun('a#2', 2),
      says('one', 'response', 'a#1'),
      says('two', 'response', 'a#2'),
      begun('a#3', 3),
    );
    expect(activeStages(view).map((one) => one.doing)).toEqual(['one', 'two', null]);
    expect(visitUnderWay(view, 'a')?.branch).toBe('a#2');
    expect(visitUnderWay(viewOf(begun()), 'b')).toBeUndefined();
  });
});
