import { expect, test } from 'vitest';
import { askedServer } from './asked-server.js';

// SEMANTICS 101 and 109 over HTTP: what is wrong is refused with its reason, and nothing is lost.

const worded = `digraph worded {
  start [shape=Mdiamond]; done [shape=Msquare]
  gate [shape=hexagon, label="Ship it?", "human.text"=required]
  work
  start -> gate
  gate -> done [label="[A] Approve"]
  gate -> work [label="[F] Fix first"]
  work -> gate
}`;

interface Problem {
  readonly findings?: readonly { readonly check: string }[];
  readonly error: { readonly code: string; readonly message: string };
}

test('109: a choice without the required text is refused, and the question stays open', async () => {
  const server = await askedServer();
  const id = await server.run(worded);
  await server.untilAsked(id);
  const answer = (body: object) => server.post(`/pipelines/${id}/questions/gate/answer`, body);
  for (const body of [{ answer: 'A' }, { answer: 'A', text: ' \n' }]) {
    const refused = await answer(body);
    expect(refused.status).toBe(400);
    expect(((await refused.json()) as Problem).error.message).toMatch(/text/);
  }
  const alias = await server.post(`/answer/${id}`, { answer: 'A' });
  expect(alias.status).toBe(400);
  expect(server.parts.registry.questions(id)).toMatchObject([{ words: 'required', answered: false }]);
  expect((await answer({ answer: 'A', text: 'two have read it' })).status).toBe(200);
  await server.until(id, 'success');
  const { context } = (await (await server.ask(`/pipelines/${id}/context`)).json()) as { context: object };
  expect(context).toMatchObject({ 'human.gate.text': 'two have read it' });
});

const limited = `digraph limited {
  graph [inputs="level: low|high = low, limit: integer"]
  start [shape=Mdiamond]; done [shape=Msquare]
  work
  start -> work -> done
}`;

test('101: inputs that do not fit are refused when a run is resumed, and the run can still be resumed', async () => {
  const server = await askedServer();
  const script = { nodes: { work: { outcome: 'fail', failure_reason: 'red' } } };
  const id = await server.run(limited, { inputs: { limit: 3 }, script });
  await server.until(id, 'fail');
  const refused = await server.post(`/pipelines/${id}/resume`, {
    inputs: { limit: 'three', level: 'middle', lvl: 1 },
  });
  expect(refused.status).toBe(400);
  const { error, findings } = (await refused.json()) as Problem;
  for (const name of ['limit', 'level', 'lvl']) expect(error.message).toContain(`input "${name}":`);
  expect(findings?.map(({ check }) => check)).toEqual(['input', 'input', 'input']);
  const { status } = server.parts.registry.detail(id);
  expect(status).toBe('fail');
  const resumed = await server.post(`/pipelines/${id}/resume`, { inputs: { limit: 4 } });
  expect(resumed.status).toBe(202);
});
