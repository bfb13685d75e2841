import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Problem } from '../../src/server/api/problem.js';
import type { LogFields } from '../../src/telemetry/log.js';
import { askedServer, askingPipeline, eventually, shortPipeline } from './asked-server.js';
import { endless } from './runs/harness.js';

const json = { 'content-type': 'application/json' };

async function problemOf(answer: Response): Promise<readonly [number, string, string]> {
  const { error } = (await answer.json()) as Problem;
  return [answer.status, error.code, error.message];
}

describe('73: a request that cannot be carried out', () => {
  it.each<[string, string, RequestInit, number, string | RegExp]>([
    [
      'malformed JSON',
      '/pipelines',
      { method: 'POST', headers: json, body: '{"dot":\n "x" "y"}' },
      400,
      'line 2, column 6',
    ],
    [
      'JSON that ends early',
      '/lint',
      { method: 'POST', headers: json, body: '{"dot":' },
      400,
      'line 1, column 8',
    ],
    ['no body', '/pipelines', { method: 'POST', headers: json }, 400, 'the body is empty'],
    [
      'a key that there is not',
      '/pipelines',
      { method: 'POST', headers: json, body: '{"dot":"x","sim":1}' },
      400,
      '"sim"',
    ],
    [
      'a value of another type',
      '/pipelines',
      { method: 'POST', headers: json, body: '{"dot":5}' },
      400,
      'dot: expected a string, found 5',
    ],
    [
      'bytes that are not text',
      '/lint',
      { method: 'POST', headers: { 'content-type': 'text/plain' }, body: new Uint8Array([0xff, 0xfe]) },
      400,
      'not UTF-8',
    ],
    [
      'another type',
      '/lint',
      { method: 'POST', headers: { 'content-type': 'image/png' }, body: 'x' },
      415,
      'image/png',
    ],
    [
      'DOT where JSON is wanted',
      '/answer/x',
      { method: 'POST', headers: { 'content-type': 'text/plain' }, body: 'x' },
      415,
      'expected application/json',
    ],
    ['a word in the query that there is not', '/pipelines?stauts=running', {}, 400, 'stauts'],
    ['a word twice', '/pipelines?limit=1&limit=2', {}, 400, 'more than once'],
    ['a limit that is too large', '/pipelines?limit=1000', {}, 400, 'from 1 to 200'],
    ['an unknown status', '/pipelines?status=busy', {}, 400, 'expected one of'],
    ['a run that there is not', '/pipelines/none', {}, 404, 'none'],
    ['an address that there is not', '/pipeline', {}, 404, '/docs'],
    ['another method', '/pipelines', { method: 'PUT' }, 405, 'GET, HEAD'],
  ])('%s', async (_, address, init, status, message) => {
    const server = await askedServer();
    const answer = await server.ask(address, init);
    const [found, , text] = await problemOf(answer);
    expect([found, text]).toEqual([status, expect.stringMatching(message)]);
  });

  it('a value that is nested deeper than the stack', async () => {
    const server = await askedServer();
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
    const body = `{"dot":"x","inputs":{"a":${deep}}}`;
    const answer = await server.ask('/pipelines', { method: 'POST', headers: json, body });
    expect((await problemOf(answer))[0]).toBe(400);
  });

  it('a pipeline with errors comes back with the findings and their places', async () => {
    const server = await askedServer();
    const answer = await server.postDot('/pipelines', 'digraph g { a -> b }');
    const { error, diagnostics } = (await answer.json()) as Problem;
    expect([answer.status, error.code]).toEqual([400, 'invalid_pipeline']);
    expect(diagnostics).toContainEqual(
      expect.objectContaining({ rule: 'start_node', severity: 'error', line: 1 }),
    );
  });

  it('our own bug is in the log, and not in the answer', async () => {
    const logged: LogFields[] = [];
    const log = {
      write: (_level: string, _message: string, fields: LogFields = {}) => void logged.push(fields),
    };
    const server = await askedServer({}, log);
    server.parts.registry.detailText = () => {
      throw new TypeError('a secret detail of ours');
    };
    const answer = await server.ask('/pipelines/x');
    expect(answer.status).toBe(500);
    expect(await answer.text()).not.toContain('secret detail');
    expect(JSON.stringify(logged)).toContain('a secret detail of ours');
  });
});

describe('an address (§9.5)', () => {
  it('says which methods it takes', async () => {
    const server = await askedServer();
    const options = await server.ask('/pipelines', { method: 'OPTIONS' });
    expect([options.status, options.headers.get('allow')]).toEqual([204, 'POST, GET, HEAD, OPTIONS']);
    const put = await server.ask('/pipelines/x/cancel', { method: 'PUT' });
    expect([put.status, put.headers.get('allow')]).toEqual([405, 'POST, OPTIONS']);
  });

  it('answers HEAD as GET, without the body', async () => {
    const server = await askedServer();
    const head = await server.ask('/pipelines', { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
    expect(head.headers.get('etag')).toBe((await server.ask('/pipelines')).headers.get('etag'));
  });

  it('sends what a client has already as 304', async () => {
    const server = await askedServer();
    const id = await server.run(shortPipeline);
    await server.until(id, 'success');
    // As long as the server holds it, the run is told to be executed by it.
    await eventually(() => server.parts.registry.detail(id).executed_by === null || undefined);
    for (const address of [
      '/pipelines',
      `/pipelines/${id}`,
      `/pipelines/${id}/graph`,
      '/docs',
      '/openapi.json',
    ]) {
      const etag = (await server.ask(address)).headers.get('etag') ?? '';
      expect(etag, address).toMatch(/^".+"$/);
      const again = await server.ask(address, { headers: { 'if-none-match': `"other", W/${etag}` } });
      expect([again.status, await again.text()], address).toEqual([304, '']);
      expect((await server.ask(address, { headers: { 'if-none-match': '"other"' } })).status).toBe(200);
    }
  });
});

describe('the files of a run (§9.5)', () => {
  it('stay in the directory of their visit, however they are named', async () => {
    const server = await askedServer();
    const id = await server.run(shortPipeline);
    await server.until(id, 'success');
    const directory = server.parts.registry.directory(id);
    mkdirSync(path.join(directory, 'work'), { recursive: true });
    symlinkSync('/etc/passwd', path.join(directory, 'work', 'link.txt'));
    symlinkSync('..', path.join(directory, 'work', 'up'));
    const files = `/pipelines/${id}/stages/work/files`;
    for (const name of [
      '..%2fmanifest.json',
      '%2e%2e%2fmanifest.json',
      '..%5cmanifest.json',
      '%2fetc%2fpasswd',
      '/etc/passwd',
      'prompt.md%00.txt',
      'link.txt',
      'up%2fmanifest.json',
      './prompt.md/..',
      'none.md',
    ]) {
      expect((await server.ask(`${files}/${name}`)).status, name).toBe(404);
    }
    for (const other of ['..', '%2e%2e', '..%2f..', 'nobody']) {
      expect((await server.ask(`/pipelines/${id}/stages/${other}/files/manifest.json`)).status, other).toBe(
        404,
      );
      expect((await server.ask(`/pipelines/${other}/source`)).status, other).toBe(404);
      expect((await server.ask(`/pipelines/${id}/artifacts/${other}`)).status, other).toBe(404);
    }
  });

  it('come as plain text, or as a file to be kept, in part where that is asked for', async () => {
    const server = await askedServer();
    const id = await server.run(shortPipeline);
    await server.until(id, 'success');
    const work = path.join(server.parts.registry.directory(id), 'work');
    writeFileSync(path.join(work, 'page.html'), '<script>alert(1)</script>ä');
    writeFileSync(path.join(work, 'data.bin'), new Uint8Array([0, 1, 2]));
    const files = `/pipelines/${id}/stages/work/files`;
    const page = await server.ask(`${files}/page.html`);
    expect(page.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(page.headers.get('x-content-type-options')).toBe('nosniff');
    expect(await page.text()).toBe('<script>alert(1)</script>ä');
    const end = await server.ask(`${files}/page.html?limit=10&part=end`);
    expect([end.headers.get('x-file-size'), await end.text()]).toEqual(['27', '/script>ä']);
    const data = await server.ask(`${files}/data.bin`);
    expect(data.headers.get('content-type')).toBe('application/octet-stream');
    expect(data.headers.get('content-disposition')).toBe('attachment; filename="data.bin"');
  });

  it('has the context and the checkpoint of a run under way, as of now (§5.3)', async () => {
    const server = await askedServer();
    const id = await server.run(askingPipeline);
    await server.untilAsked(id);
    const { context } = (await (await server.ask(`/pipelines/${id}/context`)).json()) as {
      context: Record<string, unknown>;
    };
    expect(context).toMatchObject({ last_stage: 'work', outcome: 'success' });
    const checkpoint = (await (await server.ask(`/pipelines/${id}/checkpoint`)).json()) as object;
    expect(checkpoint).toMatchObject({ current_node: 'work', next_node: 'gate', status: 'running' });
  });

  it('tells nothing of a run in the queue but its pipeline', async () => {
    const server = await askedServer({ maxRunning: 1 });
    // Who only waits for people would leave its place to it.
    await server.run(endless.dot, { script: endless.script });
    const queued = await server.run(shortPipeline);
    expect((await server.ask(`/pipelines/${queued}/graph`)).status).toBe(200);
    expect(await (await server.ask(`/pipelines/${queued}/source`)).text()).toContain('digraph short');
    expect((await server.ask(`/pipelines/${queued}/timeline`)).status).toBe(409);
  });
});

describe('the aliases of §11.11', () => {
  it('73: run, ask and answer', async () => {
    const server = await askedServer();
    const started = await server.postDot('/run', askingPipeline);
    expect(started.status).toBe(201);
    const { id } = (await started.json()) as { id: string };
    await server.untilAsked(id);
    expect(await (await server.ask(`/status/${id}`)).json()).toMatchObject({ id, status: 'running' });
    expect((await server.post(`/answer/${id}`, { answer: 'perhaps' })).status).toBe(400);
    expect((await server.post(`/answer/${id}`, { answer: 'y' })).status).toBe(200);
    await server.until(id, 'success');
    expect((await server.post(`/answer/${id}`, { answer: 'y' })).status).toBe(409);
    expect((await server.post(`/pipelines/${id}/cancel`)).status).toBe(409);
  });
});
