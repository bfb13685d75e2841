import { execFileSync } from 'node:child_process';
import { chownSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { removeWithMe } from '../../scripts/leftovers.mjs';
import { pipeline } from '../run/harness.js';
import { liveCluster } from './live-cluster.js';

const certificates = makeCertificates();
const cluster = await liveCluster({
  ssl: 'on',
  ssl_cert_file: certificates.server,
  ssl_key_file: certificates.serverKey,
});
const { query, start, directory, urlFor } = cluster;

const password = 'Kq7vN2xLm9wR4tZs';

/** URL for a client that checks the server by a certificate. */
function checked(authority: string, host = '127.0.0.1'): string {
  const url = new URL(urlFor('machine'));
  url.password = password;
  url.hostname = host;
  url.searchParams.set('sslmode', 'verify-full');
  url.searchParams.set('sslrootcert', authority);
  return url.href;
}

beforeAll(async () => {
  await query(`create role machine login superuser password '${password}'`);
  const tool = pipeline('a [shape=parallelogram, tool_command="echo done"]', 'start -> a -> exit');
  writeFileSync(path.join(directory, 'tool.dot'), tool);
});

test('a run is submitted and carried over connections that are all encrypted', async () => {
  const env = { ATTRACTOR_DATABASE_URL: checked(certificates.authority) };
  const worker = start(['worker', '--home', 'runs'], 'machine', directory, env);
  await worker.until('it was ready', () => worker.output().includes('is ready for'));
  const { status, stderr } = await start(['run', 'tool.dot'], 'machine', directory, env).finished;
  expect(status, stderr).toBe(0);
  const [found] = await query(
    `select count(*)::int as all, count(*) filter (where ssl)::int as encrypted
     from pg_stat_ssl join pg_stat_activity using (pid) where usename = 'machine'`,
  );
  expect(found?.all).toBeGreaterThan(2);
  expect(found?.encrypted).toBe(found?.all);
  expect(worker.output()).not.toContain(password);
});

describe('what is said of a database that must not be used, without its password', () => {
  test.each([
    ['certificate of another authority', () => checked(certificates.stranger), 'sslrootcert=FILE'],
    [
      'another name',
      () => checked(certificates.authority, 'localhost'),
      'name the server as its certificate does',
    ],
    ['no file of the authority', () => checked('/nowhere/ca.pem'), '/nowhere/ca.pem'],
    [
      'settings in place of a URL',
      () => `host=127.0.0.1 password=${password}`,
      'is not named by a URL such as',
    ],
    ['a port that is none', () => `postgresql://machine:${password}@127.0.0.1:99999/x`, 'cannot be used'],
    ['nobody there', () => `postgresql://machine:${password}@127.0.0.1:1/x`, 'ECONNREFUSED'],
    [
      'a database that does not exist',
      () => `${urlFor('machine')}s`.replace('@', `:${password}@`),
      'does not exist',
    ],
  ])('%s', async (_what, url, says) => {
    for (const command of [['cluster', 'status'], ['worker'], ['cluster', 'migrate']])
      for (const isOption of [true, false]) {
        const args = isOption ? [...command, '--database', url()] : command;
        const env: Record<string, string> = isOption ? {} : { ATTRACTOR_DATABASE_URL: url() };
        const { status, stdout, stderr } = await start(args, 'postgres', directory, env).finished;
        expect(status).toBe(2);
        expect(stderr).toContain(says);
        expect(stdout + stderr).not.toContain(password);
      }
  });
});

/** Certificates of a server at 127.0.0.1, of the authority that has signed it, and of another one. */
function makeCertificates() {
  const place = mkdtempSync(path.join(tmpdir(), 'attractor-tls-'));
  removeWithMe(place);
  const file = (name: string): string => path.join(place, name);
  const openssl = (...args: readonly string[]): void =>
    void execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...args], {
      stdio: 'pipe',
    });
  for (const name of ['authority', 'stranger'])
    openssl('-keyout', file(`${name}.key`), '-out', file(`${name}.pem`), '-subj', `/CN=${name}`);
  openssl(
    ...['-keyout', file('server.key'), '-out', file('server.pem'), '-subj', '/CN=server'],
    ...['-CA', file('authority.pem'), '-CAkey', file('authority.key')],
    ...['-addext', 'subjectAltName=IP:127.0.0.1', '-addext', 'basicConstraints=critical,CA:FALSE'],
  );
  // The server refuses a key that others own, and as root it works as the user who owns nothing.
  if (process.getuid?.() === 0)
    for (const one of ['', 'server.key', 'server.pem']) chownSync(file(one), 65534, 65534);
  return {
    authority: file('authority.pem'),
    stranger: file('stranger.pem'),
    server: file('server.pem'),
    serverKey: file('server.key'),
  };
}
