import { describe, expect, test } from 'vitest';
import { compile } from '../../src/compiler/compile.js';
import { exitNodes, startNodes } from '../../src/graph/queries.js';
import { pipeline, programOf } from '../run/harness.js';

describe('41: start and exit', () => {
  const roles = (text: string) => {
    const { graph } = compile(`digraph G { ${text} }`);
    return [startNodes(graph).map(({ id }) => id), exitNodes(graph).map(({ id }) => id)];
  };
  test.each([
    ['s [shape=Mdiamond] e [shape=Msquare]', ['s'], ['e']],
    ['s [type=start] e [type=exit]', ['s'], ['e']],
    ['start exit', ['start'], ['exit']],
    ['Start end', ['Start'], ['end']],
    ['START Exit', [], []],
    ['start s [shape=Mdiamond] exit e [shape=Msquare]', ['s'], ['e']],
    ['a [shape=Mdiamond] b [type=start] exit end', ['a', 'b'], ['exit', 'end']],
  ])('%s', (text, start, exit) => {
    expect(roles(text)).toEqual([start, exit]);
  });

  test('a node that is found by its id has the handler, though its shape is a box', () => {
    const program = programOf('digraph G { start a [prompt=x] end start -> a -> end }');
    expect(program).toMatchObject({ startId: 'start', exitId: 'end' });
    expect(['start', 'a', 'end'].map((id) => program.nodes.get(id)?.handler.type)).toEqual([
      'start',
      'codergen',
      'exit',
    ]);
  });

  test('a box called start next to a Mdiamond is an ordinary stage', () => {
    const program = programOf(
      'digraph G { s [shape=Mdiamond] start [prompt=x] e [shape=Msquare] s -> start -> e }',
    );
    expect(program.startId).toBe('s');
    expect(program.nodes.get('start')?.handler.type).toBe('codergen');
  });
});

describe('2.8, 4.2: the handler of a node', () => {
  test.each([
    ['shape=box', 'codergen'],
    ['', 'codergen'],
    ['shape=hexagon', 'wait.human'],
    ['shape=diamond', 'conditional'],
    ['shape=parallelogram', 'tool'],
    ['shape=component', 'parallel'],
    ['shape=tripleoctagon', 'parallel.fan_in'],
    ['shape=house', 'stack.manager_loop'],
    ['shape=tab', 'codergen'],
    ['type=tool', 'tool'],
    ['type="wait.human", shape=diamond', 'wait.human'],
    ['type=mine, shape=diamond', 'mine'],
    ['type=unknown, shape=diamond', 'conditional'],
    ['type=unknown', 'codergen'],
  ])('[%s] is %s', (attributes, type) => {
    const program = programOf(pipeline(`a [${attributes}]`, 'start -> a -> exit'), ['mine']);
    expect(program.nodes.get('a')?.handler.type).toBe(type);
  });
});

describe('a program', () => {
  test('has every policy of a node worked out, with the defaults of the language', () => {
    const program = programOf(pipeline('a', 'start -> a -> exit'));
    expect(program.nodes.get('a')).toMatchObject({
      id: 'a',
      label: 'a',
      goalGate: false,
      allowPartial: false,
      maxVisits: undefined,
      continuesOnFailure: false,
      idempotent: true,
      jumpTargets: [],
    });
    expect(program).toMatchObject({
      limits: { maxSteps: 1000, maxGoalGateRedirects: 50 },
      requireGoalGates: false,
      goalGates: [],
      goalGateTargets: [],
    });
  });

  test('and as the author wrote them', () => {
    const program = programOf(
      pipeline(
        ...['max_steps=7', 'max_goal_gate_redirects=3', 'require_goal_gates=true', 'retry_target=a'],
        ...['fallback_retry_target=start', 'on_failure=continue'],
        'a [label=A, goal_gate=true, allow_partial=true, max_visits=2, idempotent=false, fallback_retry_target=a]',
        'b [on_failure=stop]',
        ...['start -> a -> b -> exit', 'a -> exit [condition=" outcome = fail ", weight=2, label=L]'],
      ),
    );
    expect(program.nodes.get('a')).toMatchObject({
      label: 'A',
      goalGate: true,
      allowPartial: true,
      maxVisits: 2,
      idempotent: false,
      continuesOnFailure: true,
      jumpTargets: [{ attribute: 'fallback_retry_target', nodeId: 'a' }],
    });
    expect(program.nodes.get('b')?.continuesOnFailure).toBe(false);
    expect(program.nodes.get('a')?.edges).toMatchObject([
      { index: 1, from: 'a', to: 'b', label: '', weight: 0, condition: undefined, conditionText: '' },
      { index: 3, to: 'exit', label: 'L', weight: 2, conditionText: 'outcome = fail' },
    ]);
    expect(program).toMatchObject({
      limits: { maxSteps: 7, maxGoalGateRedirects: 3 },
      requireGoalGates: true,
      goalGateTargets: [
        { attribute: 'retry_target', nodeId: 'a' },
        { attribute: 'fallback_retry_target', nodeId: 'start' },
      ],
    });
    expect(program.goalGates.map(({ id }) => id)).toEqual(['a']);
  });
});
