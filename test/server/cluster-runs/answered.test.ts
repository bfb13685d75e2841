import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { answered } from '../../../src/server/cluster-runs/answered.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a request gets the answer of the database, or its error', async () => {
  expect(await answered(Promise.resolve(1))).toBe(1);
  await expect(answered(Promise.reject(new Error('no such table')))).rejects.toThrow('no such table');
});

test('a request does not wait for a database that is away', async () => {
  const asking = answered(new Promise(() => undefined));
  const refused = expect(asking).rejects.toMatchObject({ code: 'unavailable', retryAfter: 5 });
  await vi.advanceTimersByTimeAsync(5000);
  await refused;
});

test('a request is told that the database refuses the server', async () => {
  const error = Object.assign(new Error('permission denied to set role "alice"'), {
    severity: 'FATAL',
    code: '42501',
  });
  await expect(answered(Promise.reject(error))).rejects.toMatchObject({
    code: 'unavailable',
    message:
      'the database of the cluster refuses the connection of this server: permission denied to set role "alice"',
  });
  const mistake = Object.assign(new Error('no such column'), { severity: 'ERROR', code: '42703' });
  await expect(answered(Promise.reject(mistake))).rejects.toBe(mistake);
});
