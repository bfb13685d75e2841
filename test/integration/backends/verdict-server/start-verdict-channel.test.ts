import { existsSync, mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { verdictCorrections } from '../../../../src/backends/verdict.js';
import {
  startVerdictChannel,
  type VerdictChannel,
} from '../../../../src/backends/verdict-server/start-verdict-channel.js';
import type { StageRoutes } from '../../../../src/graph/stage-routes.js';
import { processes } from '../../../support/processes.js';
import { temporaryDirectory } from '../../../support/temporary-directory.js';

const review: StageRoutes = { labels: ['Approve', 'Fix'], targets: ['ship', 'repair'], isChoice: true };

interface Connected {
  readonly channel: VerdictChannel;
  readonly client: Client;
  readonly pid: number;
}

/** Starts the server as an agent would. */
async function connect(ways: StageRoutes = review): Promise<Connected> {
  const channel = await startVerdictChannel(ways);
  onTestFinished(() => channel.close());
  const transport = new StdioClientTransport({
    command: channel.command,
    args: [...channel.args],
    env: channel.env,
    stderr: 'pipe',
  });
  const client = new Client({ name: 'agent', version: '1' });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return { channel, client, pid: transport.pid ?? 0 };
}

async function report({ client }: Connected, input: Record<string, unknown>) {
  const { content, isError } = await client.callTool({ name: 'report_outcome', arguments: input });
  const [first] = content as readonly { readonly text: string }[];
  return { isError, text: first?.text ?? '' };
}

describe('the verdict of an agent program', () => {
  test('the tool has the labels and targets of the stage', async () => {
    const { client } = await connect();
    expect(client.getServerVersion()?.name).toBe('attractor');
    const { tools } = await client.listTools();
    expect(tools).toMatchObject([
      {
        name: 'report_outcome',
        inputSchema: {
          properties: {
            preferred_label: { enum: ['Approve', 'Fix'] },
            suggested_next_ids: { items: { enum: ['ship', 'repair'] } },
          },
        },
      },
    ]);
  });

  test('nothing is known until the agent says it', async () => {
    const agent = await connect();
    expect(agent.channel.result()).toBeUndefined();
    const told = await report(agent, { outcome: 'success', preferred_label: 'Fix', notes: 'two bugs' });
    expect(told.isError).toBe(false);
    expect(agent.channel.result()).toEqual({
      kind: 'outcome',
      outcome: { status: 'success', preferred_label: 'Fix', notes: 'two bugs' },
    });
  });

  test('the last word counts', async () => {
    const agent = await connect();
    await report(agent, { outcome: 'success' });
    await report(agent, { outcome: 'fail', failure_reason: 'tests are red' });
    expect(agent.channel.result()).toMatchObject({ outcome: { status: 'fail' } });
  });

  test('a mistake is explained and can be corrected', async () => {
    const agent = await connect();
    const told = await report(agent, { outcome: 'success', preferred_label: 'Aprove' });
    expect(told).toMatchObject({ isError: true, text: expect.stringContaining('Approve') });
    expect(agent.channel.result()).toMatchObject({ kind: 'invalid' });
    await report(agent, { outcome: 'success', preferred_label: 'Approve' });
    expect(agent.channel.result()).toMatchObject({ kind: 'outcome' });
  });

  test('a mistake after a good verdict is not passed over', async () => {
    const agent = await connect();
    await report(agent, { outcome: 'success' });
    await report(agent, { outcome: 'splendid' });
    expect(agent.channel.result()).toMatchObject({ kind: 'invalid' });
  });

  test('corrections are bounded', async () => {
    const agent = await connect();
    for (let mistake = 0; mistake <= verdictCorrections; mistake += 1) {
      expect(await report(agent, { outcome: mistake })).toMatchObject({ isError: true });
    }
    expect(await report(agent, { outcome: 'success' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('No further corrections'),
    });
    expect(agent.channel.result()).toMatchObject({ kind: 'invalid' });
  });

  test('another tool, and another method, are refused in the words of the protocol', async () => {
    const { client } = await connect();
    await expect(client.callTool({ name: 'rm', arguments: {} })).rejects.toThrow('no tool "rm"');
    await expect(client.listPrompts()).rejects.toThrow();
    await expect(client.ping()).resolves.toEqual({});
  });

  test('two clients of one session, and verdicts of any length', async () => {
    const { channel, client } = await connect();
    const second = new Client({ name: 'reconnected', version: '1' });
    await second.connect(
      new StdioClientTransport({ command: channel.command, args: [...channel.args], env: channel.env }),
    );
    onTestFinished(() => second.close());
    const notes = 'é\n"€'.repeat(50_000);
    await client.callTool({ name: 'report_outcome', arguments: { outcome: 'success', notes } });
    await second.callTool({ name: 'report_outcome', arguments: { outcome: 'retry', notes } });
    expect(channel.result()).toEqual({ kind: 'outcome', outcome: { status: 'retry', notes } });
  });

  test('stages do not share a socket where the path of temporary files is too long for one', async () => {
    const place = path.join(temporaryDirectory(), 'long'.repeat(30));
    mkdirSync(place);
    vi.stubEnv('TMPDIR', place);
    onTestFinished(() => void vi.unstubAllEnvs());
    const [one, other] = [await connect(), await connect()];
    await report(one, { outcome: 'success' });
    await report(other, { outcome: 'retry' });
    expect(one.channel.result()).toMatchObject({ outcome: { status: 'success' } });
    expect(other.channel.result()).toMatchObject({ outcome: { status: 'retry' } });
    expect(existsSync(one.channel.args[1] ?? '')).toBe(true);
  });

  test('only this user can reach it, and nothing is left of it', async () => {
    const { channel, pid } = await connect();
    const [relay = '', address = ''] = channel.args;
    const { mode } = statSync(path.dirname(relay));
    expect(mode & 0o777).toBe(0o700);
    expect(processes().some((one) => one.pid === pid)).toBe(true);
    await channel.close();
    expect([relay, address, path.dirname(relay)].filter(existsSync)).toEqual([]);
    await expect.poll(() => processes().some((one) => one.pid === pid), { timeout: 20_000 }).toBe(false);
  });
});
