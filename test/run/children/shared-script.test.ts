import { describe, expect, test } from 'vitest';
import { pipeline, resumePipeline, type Setup } from '../harness.js';
import { runProject, subPipeline } from './children.js';

// Entries that are named after a stage of a child count once, whichever run of the child comes to them (SEMANTICS 86).

const gated = pipeline(
  'ok [shape=hexagon]',
  'work',
  'refused [shape=diamond, fail_when="true"]',
  'start -> ok',
  'ok -> work [label="[Y] Yes"]',
  'ok -> refused [label="[N] No"]',
  'work -> exit',
  'refused -> exit',
);

/** A child whose first stage is scripted, and which then waits for a person. */
const held = pipeline(
  'work',
  'hold [shape=hexagon]',
  'start -> work -> hold',
  'hold -> exit [label="[Y] Yes"]',
);

const forEach = pipeline(
  'inputs="items: list"',
  'each [shape=component, foreach="${inputs.items}", as=x, join=last, max_parallel=1]',
  'sub [type=pipeline, child="child.dot"]',
  'last',
  'start -> each -> sub -> last -> exit',
);

/** Runs `child.dot` in `sub` for each of some items, one after the other. */
function runItems(items: number, files: Readonly<Record<string, string>>, setup: Setup) {
  return runProject(
    { 'main.dot': forEach, ...files },
    { inputs: { items: [...Array(items).keys()] }, ...setup },
  );
}

const outcomesOf = ({ context }: { readonly context: Readonly<Record<string, unknown>> }) =>
  (context['parallel.results'] as readonly { readonly outcome: string }[]).map(({ outcome }) => outcome);

describe('answers to the gate of a child', () => {
  test('count over the items of a list: the question after the last answer stays open', async () => {
    const { result, directory } = await runItems(3, { 'child.dot': gated }, { answers: { 'sub/ok': 'Y' } });
    expect(result).toMatchObject({ status: 'paused', visits: { sub: 2 } });
    expect(result.paused_reason).toContain('("sub/ok")');

    const second = await resumePipeline(directory, { answers: { 'sub/ok': 'Y' } });
    expect(second.result).toMatchObject({ status: 'paused', visits: { sub: 3 } });
    const third = await resumePipeline(directory, { answers: { 'sub/ok': 'Y' } });
    expect(outcomesOf(third.result)).toEqual(['success', 'success', 'success']);
  });

  test('are given in the order in which the items ask', async () => {
    const { result } = await runItems(2, { 'child.dot': gated }, { answers: { 'sub/ok': ['N', 'Y'] } });
    expect(outcomesOf(result)).toEqual(['fail', 'success']);
  });

  test('of a call that resumes the run are given in that order too', async () => {
    const { directory } = await runItems(3, { 'child.dot': gated }, { answers: { 'sub/ok': 'Y' } });
    const { result } = await resumePipeline(directory, { answers: { 'sub/ok': ['N', 'Y'] } });
    expect(outcomesOf(result)).toEqual(['success', 'fail', 'success']);
  });

  test('continue where a run was resumed', async () => {
    const child = gated.replace(
      'work -> exit',
      'hold [shape=hexagon]\nwork -> hold\nhold -> exit [label="[Y] Yes"]',
    );
    const { result, directory } = await runItems(
      2,
      { 'child.dot': child },
      { answers: { 'sub/ok': ['Y', 'N'] } },
    );
    expect(result.paused_reason).toContain('("sub/hold")');
    const again = await resumePipeline(directory, { answers: { 'sub/hold': 'Y' } });
    expect(outcomesOf(again.result)).toEqual(['success', 'fail']);
  });

  test('continue when the stage is visited again', async () => {
    const main = pipeline(
      'sub [type=pipeline, child="child.dot"]',
      'start -> sub',
      'sub -> sub [condition="outcome=fail"]',
      'sub -> exit [condition="outcome=success"]',
    );
    const { result } = await runProject(
      { 'main.dot': main, 'child.dot': gated },
      { answers: { 'sub/ok': ['N', 'N', 'Y'] } },
    );
    expect(result).toMatchObject({ status: 'success', visits: { sub: 3 } });
  });

  test('continue in a child of a child', async () => {
    const files = { 'child.dot': subPipeline().replace('child.dot', 'inner.dot'), 'inner.dot': gated };
    const { result } = await runItems(2, files, { answers: { 'sub/sub/ok': ['N', 'Y'] } });
    expect(outcomesOf(result)).toEqual(['fail', 'success']);
  });
});

describe('outcomes of a stage of a child', () => {
  const simple = pipeline('work', 'start -> work -> exit');
  const failingFirst = { 'sub/work': [{ outcome: 'fail' }, { outcome: 'success' }] };

  test('come one for each item of a list', async () => {
    const { result } = await runItems(3, { 'child.dot': simple }, { script: failingFirst });
    expect(outcomesOf(result)).toEqual(['fail', 'success', 'success']);
  });

  test('come one for each attempt of the stage that runs it', async () => {
    const retried = subPipeline(', max_retries=1, retry_on="fail"');
    const { result, events } = await runProject(
      { 'main.dot': retried, 'child.dot': simple },
      { script: { 'sub/work': [{ outcome: 'fail', retryable: true }, { outcome: 'success' }] } },
    );
    expect(result.status).toBe('success');
    expect(events.filter(({ type }) => type === 'StageRetrying')).toHaveLength(1);
  });

  test('continue where a run was resumed', async () => {
    const script = { 'sub/work': [{ outcome: 'success' }, { outcome: 'fail' }] };
    const { result, directory } = await runItems(2, { 'child.dot': held }, { script });
    expect(result.paused_reason).toContain('("sub/hold")');
    const again = await resumePipeline(directory, { answers: { 'sub/hold': 'Y' } });
    expect(outcomesOf(again.result)).toEqual(['success', 'fail']);
  });

  test('continue where a run was resumed in a later visit, with the earlier child out of the way', async () => {
    const main = pipeline(
      'sub [type=pipeline, child="child.dot"]',
      'start -> sub',
      'sub -> sub [condition="outcome=fail"]',
      'sub -> exit [condition="outcome=success"]',
    );
    const child = pipeline(
      'hold [shape=hexagon]',
      'work',
      'start -> hold',
      'hold -> work [label="[Y] Yes"]',
      'work -> exit',
    );
    const { directory } = await runProject(
      { 'main.dot': main, 'child.dot': child },
      { script: failingFirst },
    );
    const second = await resumePipeline(directory, { answers: { 'sub/hold': 'Y' } });
    expect(second.result).toMatchObject({ status: 'paused', visits: { sub: 2 } });
    const third = await resumePipeline(directory, { answers: { 'sub/hold': 'Y' } });
    expect(third.result).toMatchObject({ status: 'success', visits: { sub: 2 } });
  });
});
