import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { eventsOf, fileOf, jsonOf, pipeline, runOnDisk } from '../run/harness.js';
import { expectPath, type PathCase } from './path-case.js';

const fail = { outcome: 'fail', failure_reason: 'red' };

const loop = (attributes = '', ...more: readonly string[]) =>
  pipeline(
    `graph [goal="Ship it"${attributes}]`,
    'node [type=custom]; plan; work; check',
    'start -> plan -> work -> check',
    'check -> exit [condition="outcome=success"]',
    'check -> work [condition="outcome=fail", loop_restart=true]',
    ...more,
  );

describe('36: loop_restart', () => {
  const cases: readonly PathCase[] = [
    {
      name: 'starts afresh at the target of the edge, whatever the outcome',
      dot: loop(),
      script: { plan: {}, work: {}, check: [fail, fail, {}] },
      // The path is that of the pipeline since it was started afresh.
      path: 'work check',
    },
    {
      name: 'on an edge without a condition',
      dot: loop('', 'check -> plan [weight=1, loop_restart=true]').replace(
        'check -> exit [condition="outcome=success"]',
        'check -> exit [condition="context.internal.restart_count=2"]',
      ),
      script: { plan: {}, work: {}, check: {} },
      path: 'plan work check',
    },
    {
      name: 'is capped by max_restarts',
      dot: loop(', max_restarts=2'),
      script: { plan: {}, work: {}, check: fail },
      path: 'work check',
      fails:
        'the pipeline was restarted 2 times, the limit set by `max_restarts`, and "check" would restart it again',
      failedNode: 'check',
    },
    {
      name: '82: counters begin afresh: visits and steps',
      dot: loop(', max_steps=3', 'work [max_visits=1]'),
      script: { plan: {}, work: {}, check: [fail, fail, {}] },
      path: 'work check',
    },
  ];
  test.each(cases.map((entry) => [entry.name, entry] as const))('%s', (_name, entry) => expectPath(entry));

  test('50 restarts are the limit where none is set', async () => {
    const { result, events } = await runOnDisk(loop(), { script: { plan: {}, work: {}, check: fail } });
    expect(result).toMatchObject({
      status: 'fail',
      failure_reason: expect.stringContaining('restarted 50 times'),
    });
    expect(eventsOf(events, 'LoopRestarted')).toHaveLength(50);
  });

  test('36, 69, 86: context, outcomes and counters are fresh; inputs, goal and scripts continue', async () => {
    const seen: unknown[] = [];
    const { result, directory } = await runOnDisk(loop(), {
      inputs: { n: 7 },
      script: { plan: { context_updates: { plan: 'made' }, preferred_label: 'Go' }, check: [fail, {}] },
      handlers: {
        custom: ({ context, visit }) => {
          const keys = ['plan', 'preferred_label', 'outcome', 'n', 'graph.goal', 'internal.restart_count'];
          seen.push([visit, ...keys.map((key) => context.get(key))]);
          return { status: 'success' };
        },
      },
    });
    expect(seen).toEqual([
      [1, 'made', 'Go', 'success', 7, 'Ship it', 0],
      [1, undefined, undefined, undefined, 7, 'Ship it', 1],
    ]);
    expect(result).toMatchObject({
      status: 'success',
      quality: 'clean',
      steps: 2,
      visits: { work: 1, check: 1 },
    });
    expect(result.completed_nodes).toEqual(['work', 'check']);
    expect(jsonOf(directory, 'checkpoint.json')).toMatchObject({
      restart: 1,
      completed_nodes: ['work', 'check'],
      current_node: 'exit',
    });
  });

  test('a goal gate that failed before the restart is forgotten', async () => {
    const dot = loop('', 'plan [goal_gate=true, on_failure=continue]');
    const { result } = await runOnDisk(dot, { script: { plan: fail, work: {}, check: [fail, {}] } });
    expect(result).toMatchObject({ status: 'success', quality: 'clean' });
  });

  test('36, 96: files go to restart-<n>; the manifest says which is the active directory', async () => {
    const roots: string[] = [];
    const { directory } = await runOnDisk(loop(), {
      script: { plan: {}, check: [fail, fail, {}] },
      handlers: {
        custom: (stage) => {
          roots.push(path.relative(path.dirname(stage.stageDirectory), stage.logsRoot));
          stage.writeFile('note.txt', String(stage.context.get('internal.restart_count') ?? 0));
          return { status: 'success' };
        },
      },
    });
    expect(roots).toEqual(['', '', '']);
    expect(fileOf(directory, 'work', 'note.txt')).toBe('0');
    expect(fileOf(directory, 'restart-1', 'work', 'note.txt')).toBe('1');
    expect(fileOf(directory, 'restart-2', 'work', 'note.txt')).toBe('2');
    expect(jsonOf(directory, 'check', 'status.json')).toMatchObject({ outcome: 'fail' });
    expect(jsonOf(directory, 'restart-2', 'check', 'status.json')).toMatchObject({ outcome: 'success' });
    expect(existsSync(path.join(directory, 'restart-1', 'plan'))).toBe(false);
    expect(jsonOf(directory, 'manifest.json')).toMatchObject({ name: 'G', active_directory: 'restart-2' });
  });

  test('ATTRACTOR_LOGS_ROOT is the active directory', async () => {
    const { directory, result } = await runOnDisk(
      pipeline(
        'work [shape=parallelogram, tool_command="printf %s \\"$ATTRACTOR_LOGS_ROOT\\""]; check',
        'start -> work -> check; check -> exit [condition="outcome=success"]; check -> work [condition="outcome=fail", loop_restart=true]',
      ),
      { script: { check: [fail, {}] } },
    );
    expect(result.context['tool.output']).toBe(path.join(directory, 'restart-1'));
  });
});
