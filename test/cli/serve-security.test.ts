import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { directoryWith } from '../support/directory-with.js';
import { waitFor } from '../support/wait-for.js';
import { attractor, type Running, startAttractor } from './attractor.js';

interface Served {
  readonly running: Running;
  readonly url: string;
  readonly token: string;
  readonly directory: string;
}

/** Starts a server that is gone when the test that asked for it has ended. */
async function serve(env: Readonly<Record<string, string>> = {}): Promise<Served> {
  const directory = directoryWith({});
  const running = startAttractor(
    ['serve', '--port', '0', '--token-file', 'token', '--log-format', 'json', '--no-config'],
    { cwd: directory, env: { HOME: directory, ...env } },
  );
  const link = /^http:\/\/127\.0\.0\.1:\d+\/\?token=[\w-]+$/m;
  await running.until('the link', () => link.test(running.output()));
  const found = new URL(link.exec(running.output())?.[0] ?? '');
  return { running, directory, url: found.origin, token: found.searchParams.get('token') ?? '' };
}

const statusOf = async (url: string, init?: RequestInit): Promise<number> => (await fetch(url, init)).status;

describe('§9.5 attractor serve', () => {
  test('says its token once, to whoever has started it, and writes it nowhere else', async () => {
    const { running, url, token, directory } = await serve();
    expect(await statusOf(`${url}/?token=${token}`, { redirect: 'manual' })).toBe(303);
    expect(await statusOf(`${url}/pipelines?token=wrong`)).toBe(401);
    expect(await statusOf(`${url}/nowhere?token=${token}`, { redirect: 'manual' })).toBe(303);
    expect(await statusOf(`${url}/pipelines`, { headers: { authorization: `Bearer ${token}` } })).toBe(200);
    expect(await statusOf(`${url}/${token}`, { headers: { authorization: `Bearer ${token}` } })).toBe(404);
    running.signal('SIGTERM');
    const { status, stdout, stderr } = await running.finished;
    expect(status).toBe(130);
    expect(stdout.split(token)).toHaveLength(2);
    expect(stderr).not.toContain(token);
    const file = path.join(directory, 'token');
    expect(readFileSync(file, 'utf8')).toBe(`${token}\n`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test.each([
    ['an address that others reach, without a name', ['--host', '0.0.0.0'], /--allow-host NAME/],
    ['a token file that others read', ['--token-file', 'open'], /mode 0644/],
    ['a token file that holds something else', ['--token-file', 'other'], /holds no token/],
  ])('does not start with %s', async (_what, args, message) => {
    const cwd = directoryWith({});
    for (const name of ['open', 'other']) writeFileSync(path.join(cwd, name), 'something else');
    chmodSync(path.join(cwd, 'open'), 0o644);
    chmodSync(path.join(cwd, 'other'), 0o600);
    const { status, stdout, stderr } = await attractor(['serve', '--port', '0', ...args], {
      cwd,
      env: { HOME: cwd },
    });
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(message);
    expect(stderr).not.toContain('something else');
  });

  test('keeps its keys out of what it answers and keeps', async () => {
    const key = 'sk-ant-api03-Zq8vN2xLw4Rk7TpYb1Hs';
    const { url, token, directory, running } = await serve({ ANTHROPIC_API_KEY: key });
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const dot =
      'digraph p { start [shape=Mdiamond] work [prompt="say ${inputs.note}"] done [shape=Msquare] start -> work -> done }';
    const posted = await fetch(`${url}/pipelines`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ dot, inputs: { note: `the key is ${key}` }, simulate: true }),
    });
    const { id } = (await posted.json()) as { readonly id: string };
    const run = path.join(directory, '.attractor/runs', id);
    await waitFor('the end of the run', () => existsSync(path.join(run, 'result.json')));
    for (const what of [
      '',
      '/context',
      '/checkpoint',
      '/timeline',
      '/stages/work',
      '/stages/work/files/prompt.md',
      '/events',
    ]) {
      const answer = await fetch(`${url}/pipelines/${id}${what}`, { headers });
      const text = await answer.text();
      expect(answer.status, `${what}: ${text}`).toBe(200);
      expect(text, what).not.toContain(key);
    }
    const prompt = await fetch(`${url}/pipelines/${id}/stages/work/files/prompt.md`, { headers });
    expect(await prompt.text()).toContain('[redacted:ANTHROPIC_API_KEY]');
    expect(running.output()).not.toContain(key);
  });
});
