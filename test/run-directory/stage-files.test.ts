import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { FileStamps } from '../../src/run-directory/file-stamps.js';
import type { FileSystem } from '../../src/run-directory/file-system.js';
import { RunError } from '../../src/run-directory/run-error.js';
import { StageFiles } from '../../src/run-directory/stage-files.js';
import { fc } from '../support/fast-check.js';
import { faultyFileSystem } from '../support/faulty-file-system.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

function open(root = temporaryDirectory(), fileSystem: FileSystem = faultyFileSystem(), isAlone = false) {
  const files = new StageFiles(root, fileSystem, new FileStamps(fileSystem, () => Date.now()), isAlone);
  /** A visit of the stage `a` that has settled, with this prompt. */
  const settle = (prompt: string): void => {
    files.write('a', 'prompt.md', prompt);
    files.write('a', 'status.json', '{}');
  };
  const archived = (name: string): string => readFileSync(path.join(root, 'a', 'visit-1', name), 'utf8');
  return { root, files, settle, archived };
}

/** The same, where nobody else can put anything into the run directory. */
function alone(root?: string, fileSystem?: FileSystem) {
  return open(root, fileSystem, true);
}

/** The files below a directory with their texts, by their path. */
function treeOf(root: string): Record<string, string> {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
  return Object.fromEntries(
    files.sort().map((file) => [path.relative(root, file), readFileSync(file, 'utf8')]),
  );
}

describe('71a: archived visits', () => {
  test('of the same number, as a power failure makes them, keep their files side by side', () => {
    const { root, files, settle, archived } = open();
    for (const prompt of ['first', 'second', 'third']) {
      settle(prompt);
      expect(files.archiveVisit('a', 1)).toBe(true);
    }
    expect(archived('prompt.md')).toBe('third');
    expect(archived('prompt.md~1')).toBe('first');
    expect(archived('prompt.md~2')).toBe('second');
    expect(readdirSync(path.join(root, 'a'))).toEqual(['visit-1']);
  });

  test('say the same once', () => {
    const { root, files, settle } = open();
    for (const prompt of ['same', 'same']) {
      settle(prompt);
      files.archiveVisit('a', 1);
    }
    expect(readdirSync(path.join(root, 'a', 'visit-1')).sort()).toEqual(['prompt.md', 'status.json']);
  });

  test('with directories that are not empty', () => {
    const { root, files, settle, archived } = open();
    files.exposeDirectory('a');
    for (const text of ['one', 'two']) {
      settle('same');
      mkdirSync(path.join(root, 'a', 'child'));
      writeFileSync(path.join(root, 'a', 'child', 'x'), text);
      files.archiveVisit('a', 1);
    }
    expect(archived('child/x')).toBe('two');
    expect(archived('child~1/x')).toBe('one');
  });

  describe('of a run whose directory nobody else can write to', () => {
    /** Counts how often a directory is looked through. */
    function watched(root = temporaryDirectory()) {
      let looks = 0;
      const fileSystem = faultyFileSystem();
      const readdir = (directory: string): readonly string[] => {
        looks += 1;
        return fileSystem.readdir(directory);
      };
      return { ...alone(root, { ...fileSystem, readdir }), root, looks: () => looks };
    }

    const left = (root: string): string[] => readdirSync(path.join(root, 'a')).sort();

    test('are moved without a look at the visits before', () => {
      const { root, files, settle, looks } = watched();
      for (let visit = 1; visit <= 5; visit += 1) {
        settle('again');
        expect(files.archiveVisit('a', visit)).toBe(true);
      }
      expect(left(root)).toEqual(['visit-1', 'visit-2', 'visit-3', 'visit-4', 'visit-5']);
      expect(readdirSync(path.join(root, 'a', 'visit-5')).sort()).toEqual(['prompt.md', 'status.json']);
      expect(looks()).toBe(0);
    });

    test('are looked for once after another process', () => {
      const { root, settle: settleBefore } = open();
      settleBefore('first');
      const { files, settle, looks } = watched(root);
      for (let visit = 1; visit <= 3; visit += 1) {
        files.archiveVisit('a', visit);
        settle('next');
      }
      expect(left(root)).toEqual(['prompt.md', 'status.json', 'visit-1', 'visit-2', 'visit-3']);
      expect(looks()).toBe(1);
    });

    test('are moved with what was put aside among them', () => {
      const { root, files, settle, looks } = watched();
      files.write('a', 'prompt.md', 'first');
      rmSync(path.join(root, 'a', 'prompt.md'));
      mkdirSync(path.join(root, 'a', 'prompt.md'));
      settle('second');
      files.archiveVisit('a', 1);
      expect(readdirSync(path.join(root, 'a', 'visit-1')).sort()).toEqual([
        'prompt.md',
        'prompt.md~1',
        'status.json',
      ]);
      expect(looks()).toBe(1);
    });

    test('are moved as far as they are still there', () => {
      const { root, files, settle } = watched();
      settle('mine');
      files.write('a', 'response.md', 'mine');
      files.write('a', 'draft.md', 'mine');
      files.remove('a', 'draft.md');
      rmSync(path.join(root, 'a', 'prompt.md'));
      expect(files.archiveVisit('a', 1)).toBe(true);
      expect(readdirSync(path.join(root, 'a', 'visit-1')).sort()).toEqual(['response.md', 'status.json']);
      expect(left(root)).toEqual(['visit-1']);
    });
  });

  test('with what is called like an archive or a branch, which stays, or is in the next one if it is in the way', () => {
    const { root, files } = alone();
    files.write('a', 'branch-1', 'mine');
    files.write('a', 'visit-1', 'mine');
    for (const visit of [1, 2, 3]) {
      files.write('a', 'status.json', '{}');
      files.archiveVisit('a', visit);
    }
    expect(treeOf(path.join(root, 'a'))).toEqual({
      'branch-1': 'mine',
      'status.json': '{}',
      'visit-1/status.json': '{}',
      'visit-2/status.json': '{}',
      'visit-2/visit-1~1': 'mine',
    });
  });

  test('with a status alone, after a visit of the same number that the journal has lost', () => {
    const { root, files, settle } = alone();
    settle('lost');
    files.archiveVisit('a', 2);
    files.write('a', 'status.json', '{"outcome": "fail"}');
    expect(files.archiveVisit('a', 2)).toBe(true);
    expect(treeOf(path.join(root, 'a'))).toEqual({
      'visit-2/prompt.md': 'lost',
      'visit-2/status.json': '{"outcome": "fail"}',
      'visit-2/status.json~1': '{}',
    });
  });

  test('with what others leave next to the files of the engine', () => {
    const { root, files, settle } = open();
    for (const visit of [1, 2, 3]) {
      settle('again');
      writeFileSync(path.join(root, 'a', 'shot.png'), `of visit ${visit}`);
      files.archiveVisit('a', visit);
    }
    for (const visit of [1, 2, 3]) {
      expect(readFileSync(path.join(root, 'a', `visit-${visit}`, 'shot.png'), 'utf8')).toBe(
        `of visit ${visit}`,
      );
    }
  });

  // What is known of a directory is there for speed: whoever looks at it each time comes to the same.
  test('are the same whether what is in a directory is known or looked for', () => {
    const stage = fc.constantFrom('a', 'a/branch-1/b', 'a/branch-2/b');
    const name = fc.constantFrom('prompt.md', 'response.md', 'branch-1', 'visit-1', 'visit-2~1');
    const step = fc.oneof(
      {
        weight: 4,
        arbitrary: fc.record({ do: fc.constant('write' as const), stage, name, text: fc.nat(2) }),
      },
      { weight: 4, arbitrary: fc.record({ do: fc.constant('settle' as const), stage, visit: fc.nat(3) }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('remove' as const), stage, name }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('lose' as const), stage, name }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('reopen' as const) }) },
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const [known, half, looked] = (['alone', 'among others', 'told others'] as const).map((how) => {
          const root = temporaryDirectory();
          const opened = () => {
            const { files } = how === 'alone' ? alone(root) : open(root);
            if (how === 'told others') files.exposeDirectory('');
            return files;
          };
          let files = opened();
          for (const [at, taken] of steps.entries()) {
            if (taken.do === 'write') files.write(taken.stage, taken.name, `${taken.text}`);
            else if (taken.do === 'remove') files.remove(taken.stage, taken.name);
            else if (taken.do === 'lose') {
              // Somebody who was told nothing may still tidy up.
              const file = path.join(root, taken.stage, taken.name);
              if (existsSync(file)) rmSync(file, { recursive: true });
            } else if (taken.do === 'settle') {
              files.write(taken.stage, 'status.json', `${at}`);
              files.archiveVisit(taken.stage, taken.visit);
            } else files = opened();
          }
          return treeOf(root);
        });
        expect(known).toEqual(looked);
        expect(half).toEqual(looked);
      }),
    );
  });

  describe('of a stage that has nothing but its status', () => {
    const visitOf = ({ files, root }: ReturnType<typeof open>): boolean => {
      files.write('a', 'status.json', '{}');
      writeFileSync(path.join(root, 'a', 'left.txt'), 'by somebody');
      return files.archiveVisit('a', 1);
    };

    test('are not looked for', () => {
      expect(visitOf(open())).toBe(false);
    });

    test.each(['', 'a'])('are looked for where others were told of "%s"', (place) => {
      const opened = open();
      opened.files.exposeDirectory(place);
      expect(visitOf(opened)).toBe(true);
    });

    test('are looked for where another process made the directory', () => {
      const root = temporaryDirectory();
      open(root).files.write('a', 'status.json', '{}');
      expect(visitOf(open(root))).toBe(true);
    });
  });

  test.each([1, 2, 3, 4, 5, 6, 7])('cut off at call %i continue into the same directory', (call) => {
    const root = temporaryDirectory();
    open(root).settle('first');
    open(root).files.archiveVisit('a', 1);
    open(root).settle('second');
    const fault = { call, code: 'EIO', done: 'nothing', lasts: true } as const;
    const failing = faultyFileSystem({ fault });
    try {
      open(root, failing).files.archiveVisit('a', 1);
      expect(failing.failed).toEqual([]);
    } catch (error) {
      expect(error).toBeInstanceOf(RunError);
    }
    const { files, archived } = open(root);
    files.archiveVisit('a', 1);
    expect([archived('prompt.md~1'), archived('prompt.md')]).toEqual(['first', 'second']);
    expect(existsSync(path.join(root, 'a', 'visit-1', 'prompt.md~2'))).toBe(false);
  });
});

describe('the directory of a stage', () => {
  test('is made again with those above it', () => {
    const { root, files } = open();
    const remove = (name: string): void => rmSync(path.join(root, name), { recursive: true });
    files.write('restart-1/a', 'note', 'one');
    remove('restart-1');
    files.write('restart-1/a', 'note', 'two');
    expect(files.read('restart-1/a', 'note')).toBe('two');
    remove('restart-1/a');
    files.makeDirectory('restart-1/a');
    expect(readdirSync(path.join(root, 'restart-1'))).toEqual(['a']);
    writeFileSync(path.join(root, 'b'), 'mine');
    files.makeDirectory('b');
    expect(readFileSync(path.join(root, 'b~1'), 'utf8')).toBe('mine');
  });

  test.each(['ENOSPC', 'EIO'] as const)('is not to blame where the disk fails: %s', (code) => {
    for (let call = 1; call <= 2; call += 1) {
      const fault = { call, code, done: 'nothing', lasts: false } as const;
      const { root, files, settle } = open(temporaryDirectory(), faultyFileSystem({ fault }));
      expect(() => settle('x')).toThrow(RunError);
      expect(readdirSync(root).filter((name) => name !== 'a')).toEqual([]);
      expect(files.read('a', 'prompt.md')).toBe(undefined);
    }
  });
});

describe.each([
  ['among others', open],
  ['alone', alone],
] as const)('71b: earlier attempts, %s', (_name, make) => {
  test('keep their files, the latest ten, and go with their visit', () => {
    const { root, files } = make();
    const attempt = (number: number): void => {
      files.write('a', 'prompt.md', `prompt ${number}`);
      if (number % 2 === 0) files.write('a', 'stderr.log', `error ${number}`);
      files.archiveAttempt('a', number);
    };
    for (let number = 1; number <= 13; number += 1) attempt(number);
    files.write('a', 'prompt.md', 'last');
    files.write('a', 'status.json', '{}');
    const kept = (below: string) =>
      Object.fromEntries(
        Array.from({ length: 10 }, (_, index) => index + 4).flatMap((number) => [
          [`${below}attempt-${number}/prompt.md`, `prompt ${number}`],
          ...(number % 2 === 0 ? [[`${below}attempt-${number}/stderr.log`, `error ${number}`]] : []),
        ]),
      );
    expect(treeOf(root)).toEqual({ ...kept('a/'), 'a/prompt.md': 'last', 'a/status.json': '{}' });
    expect(files.archiveVisit('a', 1)).toBe(true);
    expect(treeOf(root)).toEqual({
      ...kept('a/visit-1/'),
      'a/visit-1/prompt.md': 'last',
      'a/visit-1/status.json': '{}',
    });
  });

  test('stay where they are when their place is taken, and leave nothing where they wrote nothing', () => {
    const { root, files } = make();
    files.makeDirectory('a');
    files.archiveAttempt('a', 1);
    files.write('a', 'prompt.md', 'one');
    files.archiveAttempt('a', 2);
    files.write('a', 'prompt.md', 'again, after a crash');
    files.archiveAttempt('a', 2);
    expect(treeOf(root)).toEqual({ 'a/attempt-2/prompt.md': 'one', 'a/prompt.md': 'again, after a crash' });
  });
});
