import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { type AskedServer, askedServer, eventually } from '../asked-server.js';
import { endless } from './harness.js';

/** Every stage makes three requests of 5000 tokens each. */
const paid = `export default { name: 'paid', backends: [{ name: 'paid', create: () => ({
  async run(node, prompt, context, call) {
    for (let request = 0; request < 3; request += 1) {
      call.checkBudget();
      const usage = { requests: 1, input_tokens: 4000, output_tokens: 1000 };
      call.report({ kind: 'model_used', provider: 'p', model: 'm', usage });
    }
    return 'done';
  },
}) }] };`;

async function paidServer(maxRunning: number): Promise<AskedServer> {
  const plugin = path.join(temporaryDirectory(), 'paid.mjs');
  writeFileSync(plugin, paid);
  return askedServer({ maxRunning, extensions: { config: false, plugin: [plugin], backend: 'paid' } });
}

const dot = `digraph G { start [shape=Mdiamond] done [shape=Msquare]
  work [prompt="work", budget_tokens=9000]
  start -> work -> done }`;

test.each([
  ['at once', 4],
  ['in the queue', 1],
])('a resume that the budget of a stage refuses is told to whoever asks for it, %s', async (_, places) => {
  const server = await paidServer(places);
  const id = await server.run(dot);
  await server.until(id, 'paused');
  const before = await eventually(() => whenIdle(server, id));
  const { dot: busy, script } = endless;
  await server.until(await server.run(busy, { script }), 'running');
  const answer = await server.post(`/pipelines/${id}/resume`, { budget_tokens: 100_000 });
  expect([answer.status, await answer.json()]).toEqual([
    400,
    {
      error: {
        code: 'bad_request',
        message: expect.stringContaining('--stage-budget work='),
      },
    },
  ]);
  expect(await eventually(() => whenIdle(server, id))).toEqual(before);
});

/** The details of a run once its server has let go of it. */
function whenIdle({ parts }: AskedServer, id: string) {
  const { duration_ms: _, ...detail } = parts.registry.detail(id);
  return detail.executed_by === null ? detail : undefined;
}
