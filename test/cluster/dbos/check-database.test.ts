import { expect, test } from 'vitest';
import { checkDatabase } from '../../../src/cluster/dbos/check-database.js';

const advice = 'special characters of a password must be percent-encoded';

test.each([
  ['#', 'postgresql://user:geheim#x@host/name'],
  ['/', 'postgresql://user:geheim/x@host/name'],
  // Read as a port of the host before it, where nothing listens.
  ['# after a number', 'postgresql://127.0.0.1:1#geheim@host/name'],
])('a URL that %s in its password cuts short is explained, without the password', async (_what, url) => {
  const refused = checkDatabase(url);
  await expect(refused).rejects.toThrow(advice);
  await expect(refused).rejects.not.toThrow('geheim');
});

test('a server that does not answer has nothing to do with the password', async () => {
  const refused = checkDatabase('postgresql://user:geheim%23x@127.0.0.1:1/name?application_name=a@b');
  await expect(refused).rejects.toThrow('the database cannot be used');
  await expect(refused).rejects.not.toThrow(advice);
});
