import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { McpServerSettings } from '../../../../src/backends/settings.js';
import { bench, stage } from '../../../backends/ai/bench.js';
import { eventsOf, runOnDisk } from '../../../run/harness.js';
import { calls, type MockTurn, says } from '../../../support/mock-models.js';
import { processes } from '../../../support/processes.js';
import { temporaryDirectory } from '../../../support/temporary-directory.js';

const claude = 'llm_model="claude-sonnet-4-5"';
const script = path.join(import.meta.dirname, 'files/mcp-server.mjs');

function calculator(...how: readonly string[]): {
  readonly settings: McpServerSettings;
  started(): readonly number[];
} {
  const file = path.join(temporaryDirectory(), 'started');
  return {
    settings: { command: process.execPath, args: [script, file, ...how] },
    // A line that is not whole yet is none.
    started: () => (existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1).map(Number) : []),
  };
}

function withServers(turns: readonly MockTurn[], servers: Readonly<Record<string, McpServerSettings>>) {
  return bench(turns, { settings: { mcp_servers: new Map(Object.entries(servers)) } });
}

describe('4.5: servers of the Model Context Protocol', () => {
  test('bring tools, named after the server; one process serves all stages, and ends with the backend', async () => {
    const { settings, started } = calculator();
    const { setup, mock } = await withServers(
      [
        calls(['calc_add', { a: 2, b: 3 }]),
        says('first'),
        calls(['calc_refuse', {}], ['calc_add', { a: 'x' }]),
        says('second'),
      ],
      { calc: settings },
    );
    const given = await setup();
    expect(started()).toEqual([]);
    const dot = stage(claude, `again [${claude}]`, 'work -> again -> exit');
    const { result, events } = await runOnDisk(dot, given);
    expect(result.failure_reason).toBeUndefined();
    const told = eventsOf(events, 'ToolCallCompleted').map(({ tool, success, output }) => [
      tool,
      success,
      output,
    ]);
    expect(told[0]).toEqual(['calc_add', true, '5']);
    expect(told[1]).toEqual(['calc_refuse', false, 'not today']);
    expect(told[2]).toEqual(['calc_add', false, expect.stringContaining('expected number')]);
    const names = mock.requests()[0]?.body.tools?.map((tool) => tool.function.name);
    expect(names).toEqual(expect.arrayContaining(['read_file', 'calc_add', 'calc_refuse', 'report_outcome']));
    expect(started()).toHaveLength(1);
    const { backend } = given;
    if (backend !== undefined && 'close' in backend && typeof backend.close === 'function')
      await backend.close();
    const left = () => processes().filter(({ pid }) => started().includes(pid));
    await expect.poll(left, { timeout: 20_000 }).toEqual([]);
  });

  test('that end are started again for the next stage, and the model is told', async () => {
    const { settings, started } = calculator();
    const add = calls(['calc_add', { a: 2, b: 3 }]);
    const { run } = await withServers([calls(['calc_die', {}]), add, says('first'), add, says('second')], {
      calc: settings,
    });
    const { result, events } = await run(stage(claude, `again [${claude}]`, 'work -> again -> exit'));
    expect(result.failure_reason).toBeUndefined();
    const ended = expect.stringContaining('"calc" has ended (exit code 3: out of order)');
    expect(eventsOf(events, 'ToolCallCompleted').map(({ success, output }) => [success, output])).toEqual([
      [false, ended],
      [false, ended],
      [true, '5'],
    ]);
    expect(started()).toHaveLength(2);
  });

  test.each(['stubborn', 'mute', 'mute stubborn'])('%s end with the backend all the same', async (how) => {
    const { settings, started } = calculator(...how.split(' '));
    const { setup } = await withServers([says('done')], { calc: settings });
    const given = await setup();
    const stop = new AbortController();
    const isMute = how.includes('mute');
    const running = runOnDisk(stage(claude), { ...given, signal: stop.signal });
    if (isMute) {
      await expect.poll(started, { timeout: 30_000 }).toHaveLength(how.includes('stubborn') ? 2 : 1);
      stop.abort();
    }
    const { result } = await running;
    expect(result.status).toBe(isMute ? 'cancelled' : 'success');
    const { backend } = given;
    if (backend === undefined || !('close' in backend) || typeof backend.close !== 'function') {
      throw new Error('it can be closed');
    }
    await backend.close();
    // What was killed takes a moment to be gone.
    const left = () => processes().filter(({ pid }) => started().includes(pid));
    await expect.poll(left, { timeout: 20_000 }).toEqual([]);
  });

  test('are reached over HTTP', async () => {
    const url = await httpServer();
    const { run } = await withServers([calls(['web_greet', {}]), says('done')], {
      web: { url, headers: { 'x-key': 'secret' } },
    });
    const { events } = await run(stage(claude));
    expect(eventsOf(events, 'ToolCallCompleted')[0]).toMatchObject({
      success: true,
      output: 'hello, secret',
    });
  });

  test.each<readonly [what: string, settings: McpServerSettings]>([
    ['a program that is not there', { command: '/no/such/program' }],
    ['a program that ends at once', { command: 'false' }],
    ['nothing at all', {}],
  ])('that cannot be started fail the stage: %s', async (_what, settings) => {
    const { run, mock } = await withServers([says('never')], { broken: settings });
    const { result } = await run(stage(`${claude}, max_retries=2`));
    expect(result.failure_reason).toContain('the MCP server "broken"');
    expect(result.failure_reason).toContain('"mcp_servers.broken"');
    expect(mock.requests()).toHaveLength(0);
  });
});

describe('the attribute tools', () => {
  const offered = async (tools: string, turns: readonly MockTurn[] = [says('done')]) => {
    const { settings, started } = calculator();
    const { run, mock } = await withServers(turns, { calc: settings });
    const { result } = await run(stage(`${claude}, tools="${tools}"`));
    const names = mock.requests()[0]?.body.tools?.map((tool) => tool.function.name);
    return { names, reason: result.failure_reason, started: started().length };
  };

  test.each<readonly [tools: string, names: readonly string[], started: number]>([
    ['read_file, grep', ['read_file', 'grep', 'report_outcome'], 0],
    ['calc_add', ['calc_add', 'report_outcome'], 1],
    ['none', ['report_outcome'], 0],
  ])('%j leaves the others out', async (tools, names, started) => {
    expect(await offered(tools)).toEqual({ names, reason: undefined, started });
  });

  test.each([
    ['read_fil', 'names unknown tools: "read_fil" (did you mean "read_file"?)'],
    ['calc_multiply', '"calc_multiply"'],
    ['grep, none', '"none"'],
  ])('%j is refused', async (tools, reason) => {
    const refused = await offered(tools);
    expect(refused.names).toBeUndefined();
    expect(refused.reason).toContain(reason);
  });

  test('keeps a tool from being called that is left out', async () => {
    const { run } = await bench([calls(['write_file', { path: 'a', content: '' }]), says('done')]);
    const { events } = await run(stage(`${claude}, tools="read_file"`));
    const [told] = eventsOf(events, 'ToolCallCompleted');
    expect(told).toMatchObject({
      success: false,
      output: expect.stringContaining('there is no tool "write_file"'),
    });
  });
});

test('a command of a model does not see the keys of models', async () => {
  process.env.ANTHROPIC_API_KEY = 'key-of-anthropic';
  process.env.NOT_A_KEY = 'seen';
  onTestFinished(() => {
    delete process.env.ANTHROPIC_API_KEY;
    delete process.env.NOT_A_KEY;
  });
  const { run } = await bench([calls(['run_command', { command: 'env' }]), says('done')]);
  const { events } = await run(stage(claude));
  const output = eventsOf(events, 'ToolCallCompleted')[0]?.output;
  expect(output).toContain('NOT_A_KEY=seen');
  expect(output).toContain('ATTRACTOR_NODE_ID=work');
  expect(output).not.toContain('key-of-anthropic');
});

async function httpServer(): Promise<string> {
  const server = createServer((request, response) => {
    const mcp = new McpServer({ name: 'web', version: '1.0.0' });
    mcp.registerTool('greet', { description: 'Greets.' }, () => ({
      content: [{ type: 'text', text: `hello, ${request.headers['x-key']}` }],
    }));
    const transport = new StreamableHTTPServerTransport({});
    void mcp.connect(transport as never).then(() => transport.handleRequest(request, response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}
