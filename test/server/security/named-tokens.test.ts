import { chmodSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { NamedTokenLookup } from '../../../src/server/security/named-token-lookup.js';
import {
  addNamedToken,
  isTokenName,
  listNamedTokens,
  readNamedToken,
  revokeNamedToken,
} from '../../../src/server/security/named-tokens.js';
import { cookieNameOf, cookieValueOf, fingerprintOf } from '../../../src/server/security/server-token.js';
import { silentLog } from '../../../src/telemetry/log.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { type SmallServer, send, smallServer } from './small-server.js';

const long = new Date('2026-01-02T03:04:05.678Z');

function place(): string {
  return path.join(temporaryDirectory(), 'server-token.d');
}

function added(directory: string, name: string, at = long): string {
  return addNamedToken(directory, name, at) ?? 'there is one already';
}

describe('§9.5 named tokens', () => {
  test('are kept in files of their owner that say nothing of the token', () => {
    const directory = place();
    const token = added(directory, 'alice');
    expect(token).toMatch(/^[\w-]{43}$/);
    const file = path.join(directory, 'alice');
    const modes = [directory, file].map((one) => (statSync(one).mode & 0o777).toString(8));
    expect(modes).toEqual(['700', '600']);
    expect(readdirSync(directory)).toEqual(['alice']);
    const text = readFileSync(file, 'utf8');
    expect(text).not.toContain(token);
    expect(text).not.toContain(cookieValueOf(token));
    expect(listNamedTokens(directory)).toEqual([
      {
        name: 'alice',
        fingerprint: fingerprintOf(token),
        createdAt: long.toISOString(),
        lastUsedAt: undefined,
      },
    ]);
  });

  test('are one for each name, until it is revoked', () => {
    const directory = place();
    const first = added(directory, 'ci');
    expect(addNamedToken(directory, 'ci', long)).toBeUndefined();
    expect(readNamedToken(directory, 'ci')?.fingerprint).toBe(fingerprintOf(first));
    expect(revokeNamedToken(directory, 'ci')).toBe(true);
    expect(revokeNamedToken(directory, 'ci')).toBe(false);
    expect(added(directory, 'ci')).not.toBe(first);
    expect(listNamedTokens(directory).map(({ name }) => name)).toEqual(['ci']);
  });

  test('are none where none was added', () => {
    expect(listNamedTokens(place())).toEqual([]);
    expect(revokeNamedToken(place(), 'alice')).toBe(false);
  });

  test.each([
    ['alice', true],
    ['ci-2.main_x', true],
    ['0', true],
    ['x'.repeat(64), true],
    ['x'.repeat(65), false],
    ['', false],
    ['.hidden', false],
    ['..', false],
    ['a/b', false],
    ['a b', false],
    ['é', false],
    ['a\n', false],
  ])('may be called %o: %s', (name, expected) => {
    expect(isTokenName(name)).toBe(expected);
  });

  const refused: readonly (readonly [what: string, spoil: (file: string) => void, message: RegExp])[] = [
    ['one that others may read', (file) => chmodSync(file, 0o644), /mode 0644.*chmod 600/],
    [
      'one without a fingerprint',
      (file) => writeFileSync(file, '{}'),
      /is damaged; remove it: attractor token revoke/,
    ],
    ['one that is not JSON', (file) => writeFileSync(file, 'x'), /is damaged/],
    [
      'a link',
      (file) => {
        symlinkSync(file, `${file}2`);
      },
      /is a symbolic link/,
    ],
  ];
  test.each(refused)('lets nobody in by %s, and says so', async (_what, spoil, message) => {
    const directory = place();
    added(directory, 'alice');
    spoil(path.join(directory, 'alice'));
    expect(() => listNamedTokens(directory)).toThrow(message);
    const warnings: string[] = [];
    const log = { write: (_level: string, text: string) => void warnings.push(text) };
    const lookup = new NamedTokenLookup(directory, { log, now: () => 0 });
    for (const _ of ['once', 'again']) lookup.find('nobody');
    expect(warnings).toEqual([expect.stringMatching(message)]);
  });
});

/** A server with named tokens, and the ways to send one. */
function served(directory = place()) {
  const named = new NamedTokenLookup(directory, { log: silentLog, now: () => 0 });
  const app = smallServer({ named });
  return { directory, app };
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const cookieHeader = (token: string) => ({
  authorization: '',
  cookie: `${cookieNameOf(8421)}=${cookieValueOf(token)}`,
});

async function statusOf(app: SmallServer, headers: Readonly<Record<string, string>>): Promise<number> {
  return (await send(app, '/runs', headers)).status;
}

describe('§9.5 a server with named tokens', () => {
  test('takes one as its own token: in a header, in a link, and as the cookie that the link leaves', async () => {
    const { directory, app } = served();
    const token = added(directory, 'alice');
    expect(await statusOf(app, bearer(token))).toBe(200);
    const link = await send(app, `/?token=${token}`, { authorization: '' });
    expect(link.status).toBe(303);
    expect(link.headers.get('set-cookie')).toContain(`${cookieNameOf(8421)}=${cookieValueOf(token)};`);
    expect(await statusOf(app, cookieHeader(token))).toBe(200);
    // The cookie is no token, and what is in the file is neither.
    expect(await statusOf(app, bearer(cookieValueOf(token)))).toBe(401);
    expect(await statusOf(app, bearer(fingerprintOf(token)))).toBe(401);
    const forged = { authorization: '', cookie: `${cookieNameOf(8421)}=${fingerprintOf(token)}` };
    expect(await statusOf(app, forged)).toBe(401);
  });

  test('notices what is added and revoked while it runs, each by itself', async () => {
    const { directory, app } = served();
    expect(await statusOf(app, bearer('x'.repeat(43)))).toBe(401);
    const alice = added(directory, 'alice', new Date());
    expect(await statusOf(app, bearer(alice))).toBe(200);
    const bob = added(directory, 'bob', new Date());
    expect(await statusOf(app, bearer(bob))).toBe(200);
    revokeNamedToken(directory, 'alice');
    expect(await statusOf(app, bearer(alice))).toBe(401);
    expect(await statusOf(app, cookieHeader(alice))).toBe(401);
    expect((await send(app, `/?token=${alice}`, { authorization: '' })).status).toBe(401);
    expect(await statusOf(app, bearer(bob))).toBe(200);
    const again = added(directory, 'alice', new Date());
    expect(await statusOf(app, bearer(alice))).toBe(401);
    expect(await statusOf(app, bearer(again))).toBe(200);
    // The token of the server itself has no name, and stays.
    expect(await statusOf(app, {})).toBe(200);
  });

  test('takes one whose file was mended', async () => {
    const { directory, app } = served();
    const token = added(directory, 'alice');
    chmodSync(path.join(directory, 'alice'), 0o640);
    expect(await statusOf(app, bearer(token))).toBe(401);
    chmodSync(path.join(directory, 'alice'), 0o600);
    expect(await statusOf(app, bearer(token))).toBe(200);
  });

  test('notes when one was used last, and of what was refused nothing', async () => {
    const { directory, app } = served();
    const token = added(directory, 'alice');
    added(directory, 'bob');
    await statusOf(app, bearer(token));
    await statusOf(app, bearer('x'.repeat(43)));
    const used = listNamedTokens(directory).map(({ name, lastUsedAt }) => [name, lastUsedAt]);
    expect(used).toEqual([
      ['alice', expect.stringMatching(/^\d{4}-/)],
      ['bob', undefined],
    ]);
    // The file is as new as its use, and is still taken.
    expect(await statusOf(app, bearer(token))).toBe(200);
  });

  test('counts who has one not among the strangers of its address', async () => {
    const directory = place();
    const named = new NamedTokenLookup(directory, { log: silentLog, now: () => 0 });
    const app = smallServer({ named, requestsPerSecond: 1 });
    for (let i = 0; i < 6; i += 1) await send(app, '/runs', { authorization: '' });
    expect(await statusOf(app, { authorization: '' })).toBe(429);
    expect(await statusOf(app, bearer(added(directory, 'alice')))).toBe(200);
  });
});
