import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { good } from '../../mcp/pipelines.js';
import { directoryWith } from '../../support/directory-with.js';
import { attractor, startAttractor } from '../process/attractor.js';
import { startClient } from './agent-client.js';

const gate = `digraph Gate {
    start [shape=Mdiamond]
    done  [shape=Msquare]
    ask   [shape=hexagon, label="Publish it?"]
    start -> ask
    ask -> done [label="[Y] Yes"]
    ask -> done [label="[N] No"]
}
`;
const command = `digraph Command {
    start [shape=Mdiamond]
    done  [shape=Msquare]
    say   [shape=parallelogram, tool_command="echo said", timeout="1m"]
    start -> say -> done
}
`;
const files = { 'good.dot': good, 'gate.dot': gate, 'command.dot': command };

const newRun = (cwd: string): string =>
  readdirSync(path.join(cwd, '.attractor/runs')).find((name) => /^\d{8}-/.test(name)) ?? '';

describe('a client of attractor mcp', () => {
  it('finds tools, resources and prompts', async () => {
    const { client } = await startClient(directoryWith(files));
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(
      'check fix format explain draw simulate test estimate run status answer logs resume cancel'.split(' '),
    );
    expect(tools.filter(({ annotations }) => annotations?.readOnlyHint).map(({ name }) => name)).toEqual(
      'check explain simulate test estimate status logs'.split(' '),
    );
    const { resources } = await client.listResources();
    for (const { uri } of resources) {
      const { contents } = await client.readResource({ uri });
      expect(String(Reflect.get(Object(contents[0]), 'text')).length).toBeGreaterThan(100);
    }
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual(['write', 'repair', 'review', 'test']);
    const { messages } = await client.getPrompt({ name: 'repair', arguments: { file: 'good.dot' } });
    expect(JSON.stringify(messages)).toContain('Repair the attractor pipeline good.dot.');
    expect(client.getInstructions()).toContain('check, then fix');
  });

  it('gets drawings as text, as a document and as an image', async () => {
    const { client } = await startClient(directoryWith(files));
    const draw = async (format: string) =>
      (await client.callTool({ name: 'draw', arguments: { file: 'good.dot', format } })).content;
    expect(await draw('svg')).toMatchObject([
      {},
      { type: 'resource', resource: { mimeType: 'image/svg+xml' } },
    ]);
    expect(await draw('png')).toMatchObject([{}, { type: 'image', mimeType: 'image/png' }]);
  });

  it('runs a pipeline, reads its log, and draws it', async () => {
    const { call } = await startClient(directoryWith(files));
    const { text, data } = await call('run', { file: 'good.dot', simulate: true });
    expect(text).toMatch(/^run \S+: success, 1 stage done$/);
    expect((await call('logs', {})).text).toContain('Stage "work" completed: success');
    expect((await call('draw', { run: data.run })).text).toContain('flowchart');
  });

  it.each([
    [[], /^the pipeline may not run here: "say" is a tool stage.*\n4:\d+ error not_allowed: /],
    [['--allow-tools'], /^run \S+: success, 1 stage done$/],
  ])('runs commands only if the server allows them: %j', async (flags, expected) => {
    const { call } = await startClient(directoryWith(files), flags);
    expect((await call('run', { file: 'command.dot' })).text).toMatch(expected);
  });
});

describe('a human gate', () => {
  it('is put to the person at the client', async () => {
    const asked: unknown[] = [];
    const { call } = await startClient(directoryWith(files), [], (message, form) => {
      asked.push(message, form);
      return { action: 'accept', content: { answer: '[Y] Yes' } };
    });
    expect((await call('run', { file: 'gate.dot', wait_seconds: 50 })).text).toMatch(/: success/);
    expect(asked).toMatchObject(['Publish it?', { properties: { answer: { enum: ['[Y] Yes', '[N] No'] } } }]);
  });

  it.each(['decline', 'cancel'] as const)('stays open if the person chooses %s', async (action) => {
    const { call } = await startClient(directoryWith(files), [], () => ({ action }));
    const { text } = await call('run', { file: 'gate.dot', wait_seconds: 50 });
    expect(text).toContain('question ask: Publish it?\n  answer with [Y] Yes, [N] No');
  });

  it('waits for the tool answer if the client can ask nobody', async () => {
    const { call } = await startClient(directoryWith(files));
    const { data } = await call('run', { file: 'gate.dot', wait_seconds: 50 });
    expect(data).toMatchObject({ status: 'running', questions: [{ question: 'ask', text: 'Publish it?' }] });
    const { run } = data;
    expect(await call('answer', { run, answer: 'Perhaps' })).toMatchObject({ isError: true });
    expect((await call('answer', { run, question: 'ask', answer: 'Yes' })).text).toContain(
      'answered ask: [Y] Yes',
    );
    expect((await call('status', { run, wait_seconds: 50 })).data).toMatchObject({ status: 'success' });
  });
});

describe('a client that is gone', () => {
  it('leaves its run paused, and another resumes it', async () => {
    const cwd = directoryWith(files);
    const first = await startClient(cwd);
    const { data } = await first.call('run', { file: 'gate.dot', wait_seconds: 50 });
    process.kill(Number(first.transport.pid), 'SIGTERM');
    const { run } = data;
    const status = async () =>
      JSON.parse((await attractor(['status', String(run), '--json'], { cwd })).stdout).status;
    await expect.poll(status, { timeout: 30_000 }).toBe('paused');
    const second = await startClient(cwd);
    expect((await second.call('answer', { run, answer: 'Y' })).text).toContain('call resume');
    expect((await second.call('resume', { run, wait_seconds: 50 })).data).toMatchObject({
      status: 'success',
    });
  });

  it('ends the server by closing its input, in the middle of a run', async () => {
    const cwd = directoryWith({ 'gate.dot': gate });
    const server = startAttractor(['mcp'], { cwd, input: 'open' });
    const send = (message: object): void =>
      server.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    const clientInfo = { name: 'test', version: '1' };
    send({
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo },
    });
    send({ method: 'notifications/initialized' });
    send({ id: 2, method: 'tools/call', params: { name: 'run', arguments: { file: 'gate.dot' } } });
    await server.until('the answer', () => server.output().includes('"id":2'));
    server.write('');
    server.kill('SIGHUP');
    expect((await server.finished).status).toBe(130);
    const { stdout } = await attractor(['status', newRun(cwd), '--json'], { cwd });
    expect(JSON.parse(stdout)).toMatchObject({ status: 'paused', paused_reason: 'the server was stopped' });
  });
});

describe('a call that is wrong', () => {
  it.each([['an unknown tool', 'chekc', {}, /there is no tool "chekc" \(did you mean "check"\?\)/]])(
    '%s is an error of the protocol',
    async (_, name, args, message) => {
      const { call } = await startClient(directoryWith(files));
      await expect(call(name, args)).rejects.toThrow(message);
    },
  );

  it('has a clear answer, and the next call works', async () => {
    const { client, call } = await startClient(directoryWith(files));
    const wrong: readonly (readonly [string, Readonly<Record<string, unknown>>, RegExp])[] = [
      ['check', { file: ['good.dot'] }, /^check: file: expected a string/],
      ['status', {}, /^no runs found in/],
      ['status', { run: '../..' }, /^there is no run "\.\.\/\.\."/],
      ['resume', { run: 'none' }, /^there is no run "none"/],
      [
        'run',
        { text: 'digraph {' },
        /^the pipeline has \d+ errors, so it cannot run\n1:1 error syntax\/anonymous_graph/,
      ],
      ['check', { text: '{['.repeat(200_000) }, /error syntax/],
    ];
    for (const [name, args, expected] of wrong) expect((await call(name, args)).text).toMatch(expected);
    await expect(client.readResource({ uri: 'attractor://docs/value' })).rejects.toThrow(/did you mean/);
    await expect(client.getPrompt({ name: 'repair' })).rejects.toThrow(/needs "file"/);
    expect((await call('check', { file: 'good.dot' })).text).toBe('good.dot: no findings');
  });

  it('is answered even if it is not a message at all', async () => {
    const server = startAttractor(['mcp'], { cwd: directoryWith(files), input: 'open' });
    server.write('{"jsonrpc": "2.0", "id": 1, "method"\n[]\n{"hello": "world"}\n');
    server.write(`${JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'ping' })}\n`);
    await server.until('the answer', () => server.output().includes('"id":7'));
    const answers = server
      .output()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(answers.map(({ error }) => error?.code)).toEqual([-32700, -32600, -32600, undefined]);
    server.kill('SIGTERM');
    await server.finished;
  });
});

it('two clients in one directory take turns with runs', async () => {
  const cwd = directoryWith(files);
  const [one, other] = [await startClient(cwd), await startClient(cwd)];
  const { data } = await one.call('run', { file: 'gate.dot', wait_seconds: 50 });
  const refused = await other.call('run', { file: 'good.dot', simulate: true });
  expect(refused.text).toMatch(/^another server \(.*\) already serves the runs in/);
  expect((await other.call('answer', { run: data.run, answer: 'Y' })).text).toContain('answered');
  await one.call('status', { run: data.run, wait_seconds: 50 });
  const run = () => other.call('run', { file: 'good.dot', simulate: true });
  await expect.poll(async () => (await run()).text, { timeout: 30_000 }).toMatch(/: success/);
});

it('fixes a file as a coding agent does', async () => {
  const cwd = directoryWith({});
  writeFileSync(path.join(cwd, 'a.dot'), good.replace('"]', '" max_visits=3]'));
  const { call } = await startClient(cwd);
  expect((await call('check', { file: 'a.dot' })).data).toMatchObject({ errors: 1 });
  await call('fix', { file: 'a.dot' });
  expect((await call('check', { file: 'a.dot' })).text).toBe('a.dot: no findings');
  expect(readFileSync(path.join(cwd, 'a.dot'), 'utf8')).toContain('", max_visits=3]');
});
