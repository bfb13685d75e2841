import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../src/graph/json.js';
import { ArtifactStore, fileBackingThreshold } from '../../src/run-directory/artifact-store.js';
import type { FileSystem } from '../../src/run-directory/file-system.js';
import { faultyFileSystem } from '../support/faulty-file-system.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const now = () => Date.UTC(2026, 0, 1);

/** On real files, but syncs take no time. */
function storeIn(directory: string, fileSystem: FileSystem = faultyFileSystem()): ArtifactStore {
  return new ArtifactStore({ directory: path.join(directory, 'artifacts'), fileSystem, now });
}

/** What another process finds. */
function reopened(directory: string): ArtifactStore {
  return storeIn(directory);
}

/** A text whose JSON is so many bytes long. */
const textOf = (bytes: number) => 'x'.repeat(bytes - 2);
const large = textOf(fileBackingThreshold + 1);
const fileIn = (directory: string, name: string) => path.join(directory, 'artifacts', name);

describe('5.5: the artifact store', () => {
  test('gives back what was stored, and says what it is', () => {
    const directory = temporaryDirectory();
    const store = storeIn(directory);
    const info = store.store('plan.v1', 'The plan', { steps: [1, 2] });
    expect(info).toEqual({
      id: 'plan.v1',
      name: 'The plan',
      size_bytes: 15,
      stored_at: '2026-01-01T00:00:00.000Z',
      is_file_backed: false,
    });
    expect(store.has('plan.v1')).toBe(true);
    expect(store.has('plan.v2')).toBe(false);
    expect(store.retrieve('plan.v1')).toEqual({ steps: [1, 2] });
    expect(store.list()).toEqual([info]);
  });

  test.each<[name: string, value: JsonValue]>([
    ['null', null],
    ['false', false],
    ['a number', 1.5],
    ['an empty text', ''],
    ['text of all kinds', '"\\\n\u0000\u2028 \u{1f600} \ud800'],
    ['a list', [1, [2, { three: 3 }]]],
    ['17g: names that objects have of their own', JSON.parse('{"__proto__":{"constructor":1}}')],
  ])('keeps %s, in memory, in its log and in a file', (_name, value) => {
    const directory = temporaryDirectory();
    const store = storeIn(directory);
    store.store('small', 'n', value);
    store.store('large', 'n', [value, large]);
    for (const one of [store, reopened(directory)]) {
      expect(one.retrieve('small')).toEqual(value);
      expect(one.retrieve('large')).toEqual([value, large]);
    }
  });

  test('changing what it gives or was given changes nothing', () => {
    const store = storeIn(temporaryDirectory());
    const given = { list: [1] };
    store.store('a', 'n', given);
    given.list.push(2);
    (store.retrieve('a') as { list: number[] }).list.push(3);
    expect(store.retrieve('a')).toEqual({ list: [1] });
  });

  test('a missing artifact is an error that says what there is', () => {
    const store = storeIn(temporaryDirectory());
    expect(() => store.retrieve('a')).toThrow('artifact "a" not found: nothing is stored');
    store.store('b', 'n', 1);
    store.store('c', 'n', 1);
    expect(() => store.retrieve('a')).toThrow('artifact "a" not found: stored are b, c');
  });

  test('remove and clear take artifacts away, with their files', () => {
    const directory = temporaryDirectory();
    const store = storeIn(directory);
    for (const id of ['a', 'b', 'c']) store.store(id, 'n', large);
    store.store('d', 'n', 1);
    expect(store.remove('a')).toBe(true);
    expect(store.remove('a')).toBe(false);
    expect(existsSync(fileIn(directory, 'a.json'))).toBe(false);
    expect(reopened(directory).list()).toEqual(store.list());
    expect(store.list().map(({ id }) => id)).toEqual(['b', 'c', 'd']);
    store.clear();
    expect(readdirSync(path.join(directory, 'artifacts'))).toEqual(['index.jsonl']);
    expect(store.list()).toEqual([]);
    expect(reopened(directory).list()).toEqual([]);
  });

  test('what is stored again is replaced, whatever its size was', () => {
    const directory = temporaryDirectory();
    const store = storeIn(directory);
    const values = [1, large, [large, 2], 3];
    for (const value of values) {
      const info = store.store('a', 'n', value);
      expect(existsSync(fileIn(directory, 'a.json'))).toBe(info.is_file_backed);
      for (const one of [store, reopened(directory)]) {
        expect(one.retrieve('a')).toEqual(value);
        expect(one.list()).toEqual([info]);
      }
    }
  });

  test('without a directory everything is in memory', () => {
    const store = new ArtifactStore({ now });
    expect(store.store('a', 'n', large).is_file_backed).toBe(false);
    expect(store.retrieve('a')).toBe(large);
    store.clear();
    expect(store.has('a')).toBe(false);
  });

  test('nothing is created before something is stored', () => {
    const directory = temporaryDirectory();
    const store = storeIn(directory);
    expect([store.has('a'), store.list(), store.remove('a')]).toEqual([false, [], false]);
    store.clear();
    store.sync();
    store.close();
    expect(readdirSync(directory)).toEqual([]);
  });
});

describe('70: the threshold', () => {
  test.each<[name: string, value: JsonValue, size: number, isFileBacked: boolean]>([
    ['102400 bytes stay in memory', textOf(102_400), 102_400, false],
    ['102401 have a file', textOf(102_401), 102_401, true],
    ['bytes count, not characters', '€'.repeat(34_134), 102_404, true],
    ['what JSON adds counts', '\n'.repeat(51_200), 102_402, true],
  ])('%s', (_name, value, size, isFileBacked) => {
    const directory = temporaryDirectory();
    const info = storeIn(directory).store('a', 'n', value);
    expect(info).toMatchObject({ size_bytes: size, is_file_backed: isFileBacked });
    expect(existsSync(fileIn(directory, 'a.json'))).toBe(isFileBacked);
    if (isFileBacked) expect(JSON.parse(readFileSync(fileIn(directory, 'a.json'), 'utf8'))).toBe(value);
  });

  test('what memory has room for is limited too', () => {
    const directory = temporaryDirectory();
    const store = storeIn(directory);
    const half = textOf(102_400);
    const infos = Array.from({ length: 700 }, (_, index) => store.store(`a${index}`, 'n', half));
    expect(infos.filter((info) => !info.is_file_backed)).toHaveLength(
      Math.floor((64 * 1024 * 1024) / 102_400),
    );
    expect(store.retrieve('a699')).toBe(half);
  });
});

describe('70: ids', () => {
  test.each(['a', 'A-b_c.9', '-', '_', '9', 'a..b', 'x'.repeat(128), 'constructor', '__proto__'])(
    'can be %s',
    (id) => {
      const directory = temporaryDirectory();
      storeIn(directory).store(id, 'n', large);
      expect(readdirSync(path.join(directory, 'artifacts')).toSorted()).toContain(`${id}.json`);
      expect(reopened(directory).retrieve(id)).toBe(large);
    },
  );

  test.each(['', '.', '..', '.hidden', '../x', 'a/b', 'a\\b', 'a b', 'ä', 'a\n', 'a~2', 'x'.repeat(129)])(
    'cannot be %j',
    (id) => {
      const directory = temporaryDirectory();
      expect(() => storeIn(directory).store(id, 'n', 1)).toThrow(
        `the artifact id ${JSON.stringify(id)} cannot be used: it must have 1 to 128 letters, digits`,
      );
      expect(readdirSync(directory)).toEqual([]);
    },
  );

  test('that differ only in case do not share a file', () => {
    const directory = temporaryDirectory();
    const store = storeIn(directory);
    for (const id of ['report', 'Report', 'REPORT']) store.store(id, 'n', [id, large]);
    const names = readdirSync(path.join(directory, 'artifacts')).map((name) => name.toLowerCase());
    expect(new Set(names).size).toBe(4);
    for (const one of [store, reopened(directory)]) {
      expect(one.retrieve('report')).toEqual(['report', large]);
      expect(one.retrieve('Report')).toEqual(['Report', large]);
      expect(one.retrieve('REPORT')).toEqual(['REPORT', large]);
    }
    store.store('Report', 'n', ['again', large]);
    expect(reopened(directory).retrieve('report')).toEqual(['report', large]);
  });
});

describe('data that JSON cannot hold', () => {
  const cycle: unknown[] = [];
  cycle.push(cycle);
  test.each<[name: string, value: unknown]>([
    ['nothing at all', undefined],
    ['a function', { deep: [() => 1] }],
    ['a bigint', 1n],
    ['a symbol', Symbol('s')],
    ['NaN', [Number.NaN]],
    ['Infinity', { x: Number.POSITIVE_INFINITY }],
    ['a Map', new Map([[1, 2]])],
    ['a Set', { s: new Set([1]) }],
    ['a cycle', cycle],
  ])('is refused: %s', (what, value) => {
    const store = storeIn(temporaryDirectory());
    expect(() => store.store('a', 'n', value)).toThrow(
      `the data of artifact "a" cannot be stored: JSON cannot hold ${what}`,
    );
    expect(store.has('a')).toBe(false);
  });
});

describe('after a crash', () => {
  test('everything that was stored is there, though nothing was closed', () => {
    const directory = temporaryDirectory();
    const store = storeIn(directory);
    store.store('small', 'Small', { a: 1 });
    store.store('large', 'Large', large);
    store.store('gone', 'Gone', 1);
    store.remove('gone');
    const next = reopened(directory);
    expect(next.list()).toEqual(store.list());
    next.store('more', 'More', 2);
    expect(
      reopened(directory)
        .list()
        .map(({ id }) => id),
    ).toEqual(['small', 'large', 'more']);
  });

  test('a line that was cut off at any byte is left out, and the next one stands in its place', () => {
    const directory = temporaryDirectory();
    storeIn(directory).store('a', 'n', 'first');
    const log = fileIn(directory, 'index.jsonl');
    const whole = readFileSync(log);
    storeIn(directory).store('b', 'n', 'second');
    const line = readFileSync(log).subarray(whole.length);
    for (let bytes = 0; bytes < line.length; bytes += 1) {
      writeFileSync(log, Buffer.concat([whole, line.subarray(0, bytes)]));
      const store = reopened(directory);
      expect(store.list().map(({ id }) => id)).toEqual(['a']);
      store.store('c', 'n', 3);
      store.close();
      expect(
        reopened(directory)
          .list()
          .map(({ id }) => id),
      ).toEqual(['a', 'c']);
    }
  });

  test.each([
    ['is not JSON', '{"op"'],
    ['is of an unknown kind', '{"op":"move"}'],
    [
      'names a file elsewhere',
      '{"op":"store","info":{"id":"a","name":"n","size_bytes":1,"stored_at":"","is_file_backed":true},"file":"../manifest.json"}',
    ],
  ])('a line that %s is an error that names it', (_name, line) => {
    const directory = temporaryDirectory();
    storeIn(directory).store('a', 'n', 1);
    appendFileSync(fileIn(directory, 'index.jsonl'), `${line}\n`);
    expect(() => reopened(directory).list()).toThrow(
      expect.objectContaining({ code: 'run_damaged', message: expect.stringContaining('damaged in line 2') }),
    );
  });

  test('a file that is gone or damaged is an error that names it', () => {
    const directory = temporaryDirectory();
    const store = storeIn(directory);
    store.store('a', 'n', large);
    writeFileSync(fileIn(directory, 'a.json'), '"cut');
    expect(() => store.retrieve('a')).toThrow(/artifact "a" is damaged: its file .*a\.json is not JSON/);
    rmSync(fileIn(directory, 'a.json'));
    expect(() => store.retrieve('a')).toThrow(/artifact "a" is lost: its file .*a\.json is gone/);
  });
});

describe('DESIGN 1.5: the cost of storing', () => {
  test('does not grow with what was stored before: the log has one line each', () => {
    const directory = temporaryDirectory();
    const fileSystem = faultyFileSystem();
    const store = storeIn(directory, fileSystem);
    const callsOf = (count: number) => {
      const before = fileSystem.calls.length;
      for (let index = 0; index < count; index += 1) store.store(`a${before}.${index}`, 'n', index);
      return fileSystem.calls.length - before;
    };
    callsOf(1);
    expect([callsOf(100), callsOf(100)]).toEqual([100, 100]);
    store.sync();
    store.sync();
    expect(fileSystem.calls.filter((call) => call.startsWith('fdatasync'))).toHaveLength(1);
  });

  test('what is stored again and again does not pile up', () => {
    const directory = temporaryDirectory();
    const store = storeIn(directory);
    const value = textOf(100_000);
    for (let visit = 0; visit < 200; visit += 1) {
      store.store('report', 'n', value);
      store.store('visit', 'n', visit);
    }
    expect(statSync(fileIn(directory, 'index.jsonl')).size).toBeLessThan(1_500_000);
    const next = reopened(directory);
    expect([next.retrieve('report'), next.retrieve('visit')]).toEqual([value, 199]);
    next.store('after', 'n', 1);
    expect(reopened(directory).list()).toHaveLength(3);
  });
});

describe('a disk that fails', () => {
  const storesAll = (store: ArtifactStore): void => {
    store.store('small', 'n', 1);
    store.store('large', 'n', large);
    store.store('large', 'n', [large]);
    store.remove('small');
    store.sync();
  };
  const countCalls = (): number => {
    const fileSystem = faultyFileSystem();
    storesAll(storeIn(temporaryDirectory(), fileSystem));
    return fileSystem.calls.length;
  };

  test.each(['ENOSPC', 'EIO'] as const)(
    'with %s at any call stops with a clear error and loses nothing',
    (code) => {
      for (let call = 1, calls = countCalls(); call <= calls; call += 1) {
        for (const done of ['nothing', 'half', 'everything'] as const) {
          const directory = temporaryDirectory();
          const before = storeIn(directory);
          before.store('kept', 'n', 'kept');
          before.sync();
          before.close();
          const fault = { call, code, done, lasts: true } as const;
          try {
            storesAll(storeIn(directory, faultyFileSystem({ fault })));
          } catch (error) {
            expect(error).toMatchObject({ name: 'RunError', code: 'storage' });
          }
          const next = reopened(directory);
          expect(next.retrieve('kept')).toBe('kept');
          storesAll(next);
          expect(
            reopened(directory)
              .list()
              .map(({ id }) => id),
          ).toEqual(['kept', 'large']);
        }
      }
    },
  );

  test('after a line that could not be written no other follows', () => {
    const directory = temporaryDirectory();
    storeIn(directory).store('a', 'n', 1);
    const fault = { call: 3, code: 'ENOSPC', done: 'half', lasts: false } as const;
    const store = storeIn(directory, faultyFileSystem({ fault }));
    store.store('b', 'n', 2);
    expect(() => store.store('c', 'n', 3)).toThrow('no space is left on the device');
    expect(() => store.store('d', 'n', 4)).toThrow('can no longer be written');
    expect(
      reopened(directory)
        .list()
        .map(({ id }) => id),
    ).toEqual(['a', 'b']);
  });
});
