import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { fingerprintOf } from '../../../src/server/security/server-token.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { attractor } from '../attractor.js';

/** Calls `attractor token` as a user with this home. */
function caller(home = temporaryDirectory()) {
  const token = (...args: readonly string[]) => attractor(['token', ...args], { env: { HOME: home } });
  return { home, token };
}

describe('attractor token', () => {
  test('prints a token that it adds once, and keeps what it cannot be made from', async () => {
    const { home, token } = caller();
    const { status, stdout, stderr } = await token('add', 'alice');
    expect(status).toBe(0);
    expect(stdout).toMatch(/^[\w-]{43}\n$/);
    expect(stderr).toContain('token "alice" added; it is shown only now');
    expect(stderr).not.toContain(stdout.trim());
    const file = path.join(home, '.config/attractor/server-token.d/alice');
    expect(readFileSync(file, 'utf8')).toContain(fingerprintOf(stdout.trim()));
    expect(readFileSync(file, 'utf8')).not.toContain(stdout.trim());
  });

  test('lists tokens by name, and revokes one', async () => {
    const { token } = caller();
    expect(await token('list')).toEqual({
      status: 0,
      stdout: '',
      stderr: 'There are no named tokens. To add one: attractor token add NAME\n',
    });
    for (const name of ['bob', 'alice-laptop']) await token('add', name);
    const { stdout } = await token('list');
    expect(stdout.replaceAll(/[\d.]+ms|[\d.]+s/g, 'T')).toMatch(
      /^NAME +CREATED +LAST USED\nalice-laptop +T ago +never\nbob +T ago +never\n$/,
    );
    expect(await token('revoke', 'bob')).toMatchObject({
      status: 0,
      stdout: '',
      stderr: expect.stringContaining('token "bob" revoked'),
    });
    const json = await token('list', '--json');
    expect(JSON.parse(json.stdout)).toEqual({
      tokens: [{ name: 'alice-laptop', created_at: expect.stringMatching(/Z$/), last_used_at: null }],
    });
  });

  test('keeps the tokens of another token file apart', async () => {
    const { home, token } = caller();
    const other = ['--token-file', path.join(home, 'other')];
    await token('add', 'alice', ...other);
    expect((await token('list')).stdout).toBe('');
    expect((await token('list', ...other)).stdout).toContain('alice');
  });

  test.each([
    [['add'], 'name the token: attractor token add NAME'],
    [['revoke'], 'name the token: attractor token revoke NAME'],
    [['add', 'a/b'], '"a/b" cannot name a token; expected up to 64 letters'],
    [['add', '../x'], 'cannot name a token'],
    [['list', 'alice'], '`attractor token list` takes no name; found "alice"'],
    [['add', 'alice'], 'the token "alice" already exists; choose another name, or revoke it first'],
    [['revoke', 'alic'], 'there is no token "alic" (did you mean "alice"?) in '],
    [['show'], 'Allowed choices are add, list, revoke'],
  ])('refuses %o', async (args, message) => {
    const { token } = caller();
    await token('add', 'alice');
    const { status, stdout, stderr } = await token(...args);
    expect(stderr).toContain(message);
    expect([status, stdout]).toEqual([2, '']);
  });

  test('completes what it takes', async () => {
    const { home, token } = caller();
    await token('add', 'alice');
    const complete = async (...words: readonly string[]) => {
      const call = { env: { HOME: home } };
      const { stdout } = await attractor(['completion', 'bash', '--', 'token', ...words], call);
      return stdout;
    };
    expect(await complete('')).toBe('add\nlist\nrevoke\n:none\n');
    expect(await complete('revoke', '')).toBe('alice\n:none\n');
    expect(await complete('add', '')).toBe(':none\n');
    expect(await complete('list', '--token-file', '')).toBe(':any\n');
  });
});
