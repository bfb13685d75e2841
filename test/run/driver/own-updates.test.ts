import { expect, test } from 'vitest';
import { eventsOf, pipeline, runPipeline } from '../harness.js';

const values = {
  mine: 1,
  'tool.output': 'x',
  'human.gate.selected': 'Y',
  'parallel.fail_count': 0,
  'internal.restart_count': 7,
  'inputs.version': 2,
  'stages.one.outcome': 'success',
  outcome: 'fail',
};

test.each([
  ['an LLM stage', 'one', 'codergen', []],
  ['a tool', 'one [shape=parallelogram, tool_command=x]', 'tool', ['tool.output']],
  ['a human gate', 'one [shape=hexagon]', 'wait.human', ['human.gate.selected']],
])('102: %s sets no key of the engine, nor of other handlers', async (_what, node, type, own) => {
  const { result, events } = await runPipeline(pipeline(node, 'start -> one -> exit'), {
    script: { one: { context_updates: values } },
  });
  const kept = ['mine', ...own];
  const settled = eventsOf(events, 'StageCompleted').find(({ node_id: id }) => id === 'one');
  expect(Object.keys(settled?.outcome.context_updates ?? {}).filter((key) => key in values)).toEqual(kept);
  expect(result.context).toMatchObject({ mine: 1, outcome: 'success' });
  const refused = Object.keys(values).filter((key) => !kept.includes(key));
  expect(eventsOf(events, 'LogAppended').map(({ message }) => message)).toContain(
    `"one" sets ${refused.map((key) => `"${key}"`).join(', ')}, which no stage of type ${type} can set; the update is ignored`,
  );
});
