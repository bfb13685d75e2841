import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { onLongWait, patiently } from '../../../src/cluster/dbos/patiently.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const ofServer = (code: string): Error => Object.assign(new Error('no'), { code, severity: 'ERROR' });
const ofNode = (code: string): Error => Object.assign(new Error('no'), { code });

/** A question that fails for some seconds, at one try a second. */
function failing(error: Error, seconds: number): () => Promise<string> {
  let tries = 0;
  return async () => {
    tries += 1;
    if (tries <= seconds) throw error;
    return 'answer';
  };
}

describe('a question to the database', () => {
  test.each([
    ['a server that has become a standby', ofServer('25006')],
    ['a lock that was not to be had', ofServer('55P03')],
    ['a server that stops', ofServer('57P01')],
    ['a full disk', ofServer('53100')],
    ['a connection that is refused', ofNode('ECONNREFUSED')],
    ['a connection that is lost', new Error('Connection terminated unexpectedly')],
    ['an answer that takes too long', new Error('Query read timeout')],
  ])('is asked again after %s', async (_, error) => {
    const answer = patiently(failing(error, 3));
    await vi.advanceTimersByTimeAsync(3000);
    expect(await answer).toBe('answer');
  });

  test.each([
    ['a statement that somebody has cancelled', ofServer('57014')],
    ['a database that is gone', ofServer('57P04')],
    ['a right that is missing', ofServer('42501')],
    ['a text that is too long for Node', ofNode('ERR_STRING_TOO_LONG')],
    ['a mistake of ours', new TypeError('x is not a function')],
  ])('fails after %s', async (_, error) => {
    await expect(patiently(failing(error, 3))).rejects.toBe(error);
  });

  test('that waits for long is told of, once for all that wait at the same time', async () => {
    const told: unknown[] = [];
    const stop = onLongWait((problem) => told.push(problem));
    const error = ofServer('25006');
    const outage = async (seconds: number): Promise<void> => {
      const answers = [1, 2, 3].map(() => patiently(failing(error, seconds)));
      await vi.advanceTimersByTimeAsync(seconds * 1000);
      await Promise.all(answers);
    };
    await outage(4);
    expect(told).toEqual([]);
    await outage(9);
    expect(told).toEqual([error]);
    await outage(9);
    expect(told).toEqual([error, error]);
    stop();
    await outage(9);
    expect(told).toHaveLength(2);
  });
});
