import { describe, expect, test } from 'vitest';
import { checkBinding } from '../../../src/server/security/check-binding.js';
import { knownNames, linkName } from '../../../src/server/security/link-name.js';
import { comparison, isToken, newToken } from '../../../src/server/security/server-token.js';
import { TokenBuckets } from '../../../src/server/security/token-bucket.js';
import { fc } from '../../support/fast-check.js';
import { send, smallServer } from './small-server.js';

describe('§9.5 tokens', () => {
  test('are new every time, and written as tokens are', () => {
    const tokens = Array.from({ length: 50 }, newToken);
    expect(tokens.filter(isToken)).toHaveLength(50);
    expect(new Set(tokens).size).toBe(50);
  });

  test('are the same only where they are the same', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (one, other) => {
        expect(comparison(one)(other)).toBe(one === other);
        expect(comparison(one)(one)).toBe(true);
      }),
    );
  });
});

describe('§9.5 a bucket', () => {
  test('lets through no more than it holds and what was added since, and never less', () => {
    const steps = fc.array(fc.record({ wait: fc.integer({ min: 0, max: 3000 }) }), { maxLength: 200 });
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 50 }),
        steps,
        (atOnce, rate, tries) => {
          let now = 0;
          const buckets = new TokenBuckets({ atOnce, perSecond: rate }, () => now);
          let passed = 0;
          for (const { wait } of tries) {
            now += wait;
            const refusedFor = buckets.take('a');
            if (refusedFor === undefined) passed += 1;
            else expect(refusedFor).toBeGreaterThanOrEqual(1);
            expect(passed).toBeLessThanOrEqual(atOnce + (now / 1000) * rate);
          }
          expect(passed).toBeGreaterThanOrEqual(Math.min(atOnce, tries.length));
        },
      ),
    );
  });

  test('lets a client through when it has waited as it was told', () => {
    let now = 0;
    const buckets = new TokenBuckets({ atOnce: 1, perSecond: 0.2 }, () => now);
    buckets.take('a');
    const seconds = buckets.take('a') ?? 0;
    now = seconds * 1000;
    expect(buckets.take('a')).toBeUndefined();
  });

  test('forgets those who came first where there are too many', () => {
    const buckets = new TokenBuckets({ atOnce: 1, perSecond: 1 }, () => 0);
    buckets.take('first');
    for (let i = 0; i < 9_999; i += 1) buckets.take(`client ${i}`);
    expect(buckets.take('first')).toBe(1);
    buckets.take('one more');
    expect(buckets.take('first')).toBeUndefined();
  });
});

describe('§9.5 a server listens', () => {
  test.each(['127.0.0.1', '127.1.2.3', '::1', 'localhost'])('at %s for this machine', (host) => {
    expect(() => checkBinding({ host, allowedHosts: [] })).not.toThrow();
  });

  test.each(['0.0.0.0', '::', '192.0.2.1', 'build.example.org', '127.0.0.1.example.org', ''])(
    'at "%s" only under a name',
    (host) => {
      expect(() => checkBinding({ host, allowedHosts: [] })).toThrow(/--allow-host NAME/);
      expect(() => checkBinding({ host, allowedHosts: ['build.example.org'] })).not.toThrow();
    },
  );

  test.each<[host: string, allowedHosts: readonly string[], name: string]>([
    ['127.0.0.1', [], '127.0.0.1'],
    ['127.0.0.1', ['build.example.org'], '127.0.0.1'],
    ['127.1.2.3', [], '127.1.2.3'],
    ['localhost', [], 'localhost'],
    ['::1', [], '[::1]'],
    ['0.0.0.0', ['build.example.org', 'other'], 'build.example.org'],
    ['0.0.0.0', ['Build.example.org:8080'], 'build.example.org'],
    ['::', ['fd00::1'], '[fd00::1]'],
    ['192.0.2.1', ['192.0.2.1'], '192.0.2.1'],
  ])(
    'at %s, known as %j, and its link leads to %s, which it answers to',
    async (host, allowedHosts, name) => {
      expect(linkName({ host, allowedHosts })).toBe(name);
      const app = smallServer({ allowedHosts: knownNames({ host, allowedHosts }) });
      expect((await send(app, '/runs', { host: `${name}:8421` })).status).toBe(200);
    },
  );

  test.each(['', 'a b', 'http://build.example.org', '*'])(
    'under no name that is none, so that nobody relies on it: "%s"',
    (name) => {
      const allowedHosts = ['build.example.org', name];
      expect(() => checkBinding({ host: '127.0.0.1', allowedHosts })).toThrow(
        /--allow-host ".*" is not a host name/,
      );
    },
  );
});
