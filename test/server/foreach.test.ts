import { expect, it } from 'vitest';
import type { OpenQuestionJson } from '../../src/server/api/question.js';
import { type AskedServer, askedServer, eventually } from './asked-server.js';

// SEMANTICS 106 over HTTP: the items of a list wait at the same gate, and each is answered by itself.

const dot = `digraph list {
  graph [inputs="files: list"]
  start [shape=Mdiamond]; done [shape=Msquare]
  each [shape=component, foreach="\${inputs.files}", as=file, join=merge, max_parallel=5]
  look [prompt="Look at \${context.file}"]
  gate [shape=hexagon, label="Ship it?"]
  fix  [prompt="Fix \${context.file}"]
  merge [shape=tripleoctagon]
  start -> each -> look -> gate
  gate -> merge [label="[Y] Yes"]
  gate -> fix [label="[N] No"]
  fix -> merge -> done
}`;

const files = ['a b', '$(touch pwned)', '<b>', 'digraph { a -> b }', '__proto__'];

/** Waits until all items ask. */
async function asked(server: AskedServer, id: string): Promise<readonly OpenQuestionJson[]> {
  await eventually(() => (server.parts.registry.questions(id).length === files.length ? true : undefined));
  const answer = await server.ask(`/pipelines/${id}/questions`);
  return ((await answer.json()) as { questions: OpenQuestionJson[] }).questions;
}

it('106, 9.5: each question names the branch of its item, and an answer goes to that item alone', async () => {
  const server = await askedServer();
  const id = await server.run(dot, { inputs: { files } });
  const questions = await asked(server, id);
  const byBranch = new Map(questions.map(({ branch, id: question }) => [branch, question]));
  expect([...byBranch.keys()].sort()).toEqual(['look#1', 'look#2', 'look#3', 'look#4', 'look#5']);
  for (const [branch, question] of byBranch) {
    const answer = branch === 'look#2' ? 'N' : 'Y';
    expect((await server.post(`/pipelines/${id}/questions/${question}/answer`, { answer })).status).toBe(200);
  }
  await server.until(id, 'success');
  const checkpoint = await (await server.ask(`/pipelines/${id}/checkpoint`)).json();
  const { completed_nodes: nodes } = checkpoint as { completed_nodes: readonly string[] };
  expect(nodes.filter((node) => node === 'fix')).toHaveLength(1);
});

it('106, 76: a run whose items wait is cancelled, and goes on with the same list', async () => {
  const server = await askedServer();
  const id = await server.run(dot, { inputs: { files } });
  await asked(server, id);
  await server.post(`/pipelines/${id}/cancel`);
  await server.until(id, 'cancelled');
  const resumed = await server.post(`/pipelines/${id}/resume`, { inputs: { files: ['another'] } });
  expect(resumed.status, await resumed.clone().text()).toBeLessThan(300);
  const questions = await asked(server, id);
  expect(questions.map(({ branch }) => branch).sort()).toEqual([
    'look#1',
    'look#2',
    'look#3',
    'look#4',
    'look#5',
  ]);
  for (const question of questions)
    await server.post(`/pipelines/${id}/questions/${question.id}/answer`, { answer: 'Y' });
  await server.until(id, 'success');
});

it.each([
  {
    name: 'a text for a declared list',
    files: 'a,b',
    dot,
    status: 400,
    says: 'input \\"files\\": expected a list',
  },
])('106, 101: $name is refused before anything runs', async ({ files: given, status, says }) => {
  const server = await askedServer();
  const answer = await server.post('/pipelines', { dot, inputs: { files: given } });
  expect(answer.status).toBe(status);
  expect(await answer.text()).toContain(says);
});
