import { describe, expect, it } from 'vitest';
import type { Problem } from '../../src/server/api/problem.js';
import { askedServer, askingPipeline, shortPipeline } from './asked-server.js';

// What the specification and docs/semantics.md ask of the server, row by row; how each operation answers is in contract.test.ts.

const dotOf = (text: string): RequestInit => ({
  ...{ method: 'POST', body: text },
  headers: { 'content-type': 'text/plain' },
});

describe('the server', () => {
  it('73, 11.11: POST /run starts a pipeline, GET /status checks it, POST /answer submits what a person says', async () => {
    const server = await askedServer();
    const posted = await server.ask('/run', dotOf(askingPipeline));
    expect([201, 202]).toContain(posted.status);
    const { id } = (await posted.json()) as { readonly id: string };
    await server.untilAsked(id);
    expect(await (await server.ask(`/status/${id}`)).json()).toMatchObject({ id, status: 'running' });
    expect((await server.post(`/answer/${id}`, { answer: 'Y' })).status).toBe(200);
    await server.until(id, 'success');
    expect(await (await server.ask(`/status/${id}`)).json()).toMatchObject({ id, status: 'success' });
  });

  it('73: what is refused has the status that says why', async () => {
    const server = await askedServer();
    const id = await server.run(shortPipeline);
    await server.until(id, 'success');
    const statusOf = async (answer: Promise<Response>): Promise<number> => (await answer).status;
    expect(await statusOf(server.ask('/pipelines', dotOf('digraph g { a -> b }')))).toBe(400);
    expect(await statusOf(server.ask('/pipelines/nothing'))).toBe(404);
    expect(await statusOf(server.post(`/pipelines/${id}/cancel`))).toBe(409);
    const refused = await server.ask('/pipelines', dotOf('digraph g { start [shape=Mdiamond]; start -> x }'));
    const { diagnostics = [] } = (await refused.json()) as Problem;
    expect(diagnostics.map(({ rule }) => rule)).toContain('terminal_node');
  });

  it('55c: an answer that fits no option is 400 with the options, and the question stays open; a second answer is 409', async () => {
    const server = await askedServer();
    const id = await server.run(askingPipeline);
    await server.untilAsked(id);
    const [question] = server.parts.registry.questions(id);
    const path = `/pipelines/${id}/questions/${encodeURIComponent(question?.id ?? '')}/answer`;
    const refused = await server.post(path, { answer: 'maybe' });
    expect(refused.status).toBe(400);
    expect(((await refused.json()) as Problem).error.message).toContain('[Y] Yes');
    expect(server.parts.registry.questions(id)).toHaveLength(1);
    expect((await server.post(path, { answer: 'y' })).status).toBe(200);
    expect((await server.post(path, { answer: 'y' })).status).toBe(409);
  });

  it('73a: the graph is an SVG coloured by what became of the stages, or DOT', async () => {
    const server = await askedServer();
    const script = { nodes: { work: { outcome: 'fail', failure_reason: 'no' } } };
    const id = await server.run(shortPipeline, { script });
    await server.until(id, 'fail');
    const drawn = await server.ask(`/pipelines/${id}/graph?theme=light`);
    expect(drawn.headers.get('content-type')).toContain('image/svg+xml');
    const plain = await (await server.ask(`/pipelines/${id}/graph?theme=light&run=left_out`)).text();
    const svg = await drawn.text();
    expect(svg).toMatch(/^<svg /);
    expect(svg).toContain('failed');
    expect(svg).not.toBe(plain);
    const dot = await server.ask(`/pipelines/${id}/graph?format=dot`);
    expect(await dot.text()).toMatch(/^digraph /);
  });

  it('76: cancelling ends a run as cancelled, and it can be resumed', async () => {
    const server = await askedServer();
    const id = await server.run(askingPipeline);
    await server.untilAsked(id);
    expect((await server.post(`/pipelines/${id}/cancel`)).ok).toBe(true);
    await server.until(id, 'cancelled');
    expect((await server.post(`/pipelines/${id}/resume`, {})).ok).toBe(true);
    await server.untilAsked(id);
    expect((await server.post(`/answer/${id}`, { answer: 'Y' })).status).toBe(200);
    await server.until(id, 'success');
  });
});
