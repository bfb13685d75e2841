import { Graphviz } from '@hpcc-js/wasm-graphviz';
import { expect, onTestFinished, test, vi } from 'vitest';
import { duplicateEdge } from '../../src/lint/rules/structure/duplicate-edge.js';
import { askedServer, shortPipeline } from './asked-server.js';

/** Counts the layouts that the thread of the requests begins. */
function layoutsOnMainThread(): () => number {
  const spy = vi.spyOn(Graphviz, 'load');
  onTestFinished(() => spy.mockRestore());
  return () => spy.mock.calls.length;
}

test.each([
  ['a posted text', async (server: Server) => server.postDot('/render', shortPipeline)],
  ['the graph of a run', async (server: Server) => server.ask(`/pipelines/${await ended(server)}/graph`)],
  ['the report of a run', async (server: Server) => server.ask(`/pipelines/${await ended(server)}/report`)],
])('draws %s on a thread of its own, however small it is', async (_, ask) => {
  const count = layoutsOnMainThread();
  const answer = await ask(await askedServer());
  expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('id="')]);
  expect(count()).toBe(0);
});

test('draws subgraphs as deep as somebody can see them, however deep they are nested', async () => {
  const server = await askedServer();
  const answer = await server.postDot('/render?format=dot', nested(400));
  const text = await answer.text();
  expect([answer.status, text.match(/subgraph "cluster/g)?.length]).toEqual([200, 32]);
  expect(text).toContain('"inside" [');
  expect((await server.postDot('/render', nested(400))).status).toBe(200);
});

function nested(depth: number): string {
  const boxes = Array.from({ length: depth }, (_, level) => `subgraph cluster_${level} {`);
  return `digraph g { start -> inside ${boxes.join(' ')} inside ${'}'.repeat(depth)} }`;
}

test.each(['svg', 'dot', 'mermaid'])('does not draw what is too large to be seen, as %s', async (format) => {
  const server = await askedServer();
  const answer = await server.postDot(`/render?format=${format}`, chain(2501));
  expect([answer.status, await answer.text()]).toEqual([
    400,
    expect.stringContaining('5001 nodes, edges and subgraphs; a server draws at most 5000. Draw it with'),
  ]);
});

test('does not check what would hold the other requests up', async () => {
  const server = await askedServer();
  const findings = vi.spyOn(duplicateEdge, 'apply');
  onTestFinished(() => findings.mockRestore());
  const answer = await server.postDot('/lint', chain(5001));
  expect([answer.status, await answer.text()]).toEqual([
    400,
    expect.stringContaining('10001 nodes, edges and subgraphs; a server checks at most 10000. Check it with'),
  ]);
  expect(findings).not.toHaveBeenCalled();
  expect((await server.postDot('/lint', chain(10))).status).toBe(200);
  expect(findings).toHaveBeenCalledOnce();
});

function chain(edges: number): string {
  const steps = Array.from({ length: edges }, (_, step) => `n${step} -> n${step + 1}`);
  return `digraph g { ${steps.join('; ')} }`;
}

type Server = Awaited<ReturnType<typeof askedServer>>;

async function ended(server: Server): Promise<string> {
  const id = await server.run(shortPipeline);
  await server.until(id, 'success');
  return id;
}
