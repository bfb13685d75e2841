import { expect, test } from 'vitest';
import { runOnDisk } from './harness.js';

test('each tool has a mark of its own, so that what ends one attempt does not end the next', async () => {
  const command = 'printf %s "$ATTRACTOR_COMMAND_ID"';
  const run = await runOnDisk(`digraph marks {
    start [shape=Mdiamond]; done [shape=Msquare]
    one [shape=parallelogram, tool_command=${JSON.stringify(command)}]
    other [shape=parallelogram, tool_command=${JSON.stringify(command)}]
    start -> one -> other -> done
  }`);
  const marks = run.events.flatMap((event) =>
    event.type === 'StageCompleted' ? [event.outcome.context_updates?.['tool.last_line']] : [],
  );
  const ofTools = marks.filter((mark) => mark !== undefined);
  expect(ofTools).toEqual([
    expect.stringMatching(/^[0-9a-f-]{36}$/),
    expect.stringMatching(/^[0-9a-f-]{36}$/),
  ]);
  expect(new Set(ofTools).size).toBe(2);
});
