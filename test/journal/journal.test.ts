import { createHash } from 'node:crypto';
import { appendFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { Journal, journalText, readJournal } from '../../src/journal/journal.js';
import type { RunEvent } from '../../src/machine/event.js';
import { nodeFileSystem } from '../../src/run-directory/file-system.js';
import { linked, linkOf } from '../../src/run-directory/hashed-line.js';
import { RunError } from '../../src/run-directory/run-error.js';
import { fileOf, pipeline, resumePipeline, runOnDisk, testEach } from '../run/harness.js';
import { faultyFileSystem } from '../support/faulty-file-system.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const event = (seq: number, message: string): RunEvent => ({
  seq,
  timestamp: '2026-01-01T00:00:00.000Z',
  run_id: 'run',
  type: 'LogAppended',
  level: 'info',
  message,
  description: message,
});

const events = [event(1, 'one'), event(2, 'zwölf\nZeilen 😀'), event(3, 'three')];

function journalOf(content: string | Buffer): string {
  const file = path.join(temporaryDirectory(), 'events.jsonl');
  writeFileSync(file, content);
  return file;
}

/** As they are appended to an empty journal. */
const lines = journalText(events)
  .text.trimEnd()
  .split('\n')
  .map((line) => `${line}\n`);
/** As versions wrote them that knew no hashes. */
const linesWithoutHash = events.map((one) => `${JSON.stringify(one)}\n`);

describe('DESIGN 4: the journal', () => {
  test('gives back what was appended, and the bytes that it takes', () => {
    const file = path.join(temporaryDirectory(), 'events.jsonl');
    const journal = new Journal(file);
    journal.append(events.slice(0, 1));
    journal.append(events.slice(1));
    journal.sync();
    expect(journal.size).toBe(readFileSync(file).length);
    journal.close();
    expect(readJournal(file)).toEqual({
      events,
      end: { size: readFileSync(file).length, hash: linkOf(lines.at(-1)?.trimEnd() ?? '').hash, torn: 0 },
    });
    expect(readFileSync(file, 'utf8')).toBe(lines.join(''));
  });

  test.each([
    ['has grown', (file: string) => appendFileSync(file, lines[1] ?? '')],
    ['has shrunk', (file: string) => writeFileSync(file, '')],
  ])('is left alone once it %s under another hand', (_name, change) => {
    const file = journalOf(lines[0] ?? '');
    const journal = new Journal(file, readJournal(file).end);
    change(file);
    const before = readFileSync(file, 'utf8');
    expect(() => journal.append(events.slice(1, 2))).toThrow(
      /something else has written to it.*nothing was written/,
    );
    expect(() => journal.appendDurably(events.slice(2))).toThrow('can no longer be written');
    expect(readFileSync(file, 'utf8')).toBe(before);
    journal.close();
  });

  test.each([
    ['a whole line', lines[1] ?? ''],
    ['a part of one', '{"seq":2'],
    ['the rest of a line that was cut off', lines[1]?.slice(20) ?? ''],
  ])('is not cut off where %s has come since it was read', (_name, added) => {
    const file = journalOf(`${lines[0]}${added === lines[1]?.slice(20) ? lines[1].slice(0, 20) : ''}`);
    const { end } = readJournal(file);
    appendFileSync(file, added);
    const before = readFileSync(file, 'utf8');
    expect(() => new Journal(file, end)).toThrow(
      /but this process read \d+: something else has written to it/,
    );
    expect(readFileSync(file, 'utf8')).toBe(before);
  });

  test('is left alone once its owner may no longer write', () => {
    const file = journalOf(lines[0] ?? '');
    const lost = new RunError('storage', 'somebody else has it');
    const journal = new Journal(file, readJournal(file).end, nodeFileSystem, () => {
      throw lost;
    });
    expect(() => journal.append(events.slice(1, 2))).toThrow(lost);
    expect(() => journal.append(events.slice(1, 2))).toThrow('can no longer be written');
    expect(readFileSync(file, 'utf8')).toBe(lines[0]);
    journal.close();
  });

  test('is read back whole, wherever its last line was cut off', () => {
    const whole = Buffer.from(lines.join(''));
    const ends = [0, ...lines.map((_line, index) => Buffer.byteLength(lines.slice(0, index + 1).join('')))];
    const file = journalOf('');
    for (let kept = 0; kept <= whole.length; kept += 1) {
      writeFileSync(file, whole.subarray(0, kept));
      const count = ends.findLastIndex((end) => end <= kept);
      expect(readJournal(file)).toEqual({
        events: events.slice(0, count),
        end: {
          size: ends[count],
          hash: linkOf(lines[count - 1]?.trimEnd() ?? '').hash ?? '',
          torn: kept - (ends[count] ?? 0),
        },
      });
    }
  });

  test('is appended to where its last whole line ends', () => {
    const file = journalOf(`${lines[0]}${lines[1]?.slice(0, 20)}`);
    const journal = new Journal(file, readJournal(file).end);
    journal.append(events.slice(1, 2));
    journal.close();
    expect(readFileSync(file, 'utf8')).toBe(`${lines[0]}${lines[1]}`);
  });

  test('takes nothing more after a write that failed', () => {
    const journal = new Journal(path.join(temporaryDirectory(), 'events.jsonl'));
    journal.close();
    expect(() => journal.append(events)).toThrow(
      /could not be written: .*`attractor resume` continues from there/,
    );
    expect(() => journal.append(events)).toThrow(/can no longer be written/);
  });

  test.each(['nothing', 'half', 'everything'] as const)(
    'takes nothing more, and syncs nothing more, after a sync that failed with %s done',
    (done) => {
      const file = path.join(temporaryDirectory(), 'events.jsonl');
      const fileSystem = faultyFileSystem({ fault: { call: 5, code: 'EIO', done, lasts: false } });
      const journal = new Journal(file, undefined, fileSystem);
      journal.append(events.slice(0, 1));
      journal.sync();
      journal.append(events.slice(1, 2));
      expect(() => journal.sync()).toThrow(/could not be written: the device reports an input\/output error/);
      expect(() => journal.append(events.slice(2))).toThrow(/can no longer be written/);
      expect(() => journal.sync()).toThrow(/can no longer be written/);
      journal.close();
      expect(fileSystem.calls.slice(4)).toEqual(['fdatasync events.jsonl', 'close events.jsonl']);
      expect(readJournal(file).events).toEqual(events.slice(0, done === 'everything' ? 2 : 1));
    },
  );

  describe('what must be on the disk before the run continues', () => {
    const durable = (writesThrough: boolean) => {
      const fileSystem = { ...faultyFileSystem(), writesThrough };
      const file = path.join(temporaryDirectory(), 'events.jsonl');
      const journal = new Journal(file, undefined, fileSystem);
      journal.appendDurably(events.slice(0, 1));
      journal.appendDurably(events.slice(1, 2));
      journal.append(events.slice(2));
      journal.appendDurably([event(4, 'four')]);
      journal.appendDurably([event(5, 'five')]);
      journal.close();
      expect(readJournal(file).events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5]);
      return fileSystem.calls.map((call) => call.split(' ')[0]);
    };
    const slow = ['write', 'fdatasync'];

    test('is written through, unless something before it still waits for a flush', () => {
      const last = ['write', ...slow, 'write', 'close', 'close'];
      expect(durable(true)).toEqual(['open', ...slow, 'open', 'write', ...last]);
    });

    test('is flushed where the file system does not write through', () => {
      const last = ['write', ...slow, ...slow, 'close'];
      expect(durable(false)).toEqual(['open', ...slow, ...slow, ...last]);
    });

    test.each([
      [4, 'open'],
      [5, 'write'],
    ])('takes nothing more after call %i, a failing %s', (call, operation) => {
      const file = path.join(temporaryDirectory(), 'events.jsonl');
      const faulty = faultyFileSystem({ fault: { call, code: 'EIO', done: 'half', lasts: false } });
      const journal = new Journal(file, undefined, { ...faulty, writesThrough: true });
      journal.appendDurably(events.slice(0, 1));
      expect(() => journal.appendDurably(events.slice(1, 2))).toThrow(/could not be written: the device/);
      expect(() => journal.appendDurably(events.slice(2))).toThrow(/can no longer be written/);
      journal.close();
      expect(faulty.failed.map((failed) => failed.call)).toEqual([`${operation} events.jsonl`]);
      expect(readJournal(file).events).toEqual(events.slice(0, 1));
    });

    test('is not taken for safe while a flush that began before is under way', async () => {
      const fileSystem = { ...faultyFileSystem(), writesThrough: true };
      const journal = new Journal(path.join(temporaryDirectory(), 'events.jsonl'), undefined, fileSystem);
      journal.append(events.slice(0, 1));
      const flushed = journal.syncSoon();
      journal.append(events.slice(1, 2));
      await flushed;
      journal.appendDurably(events.slice(2));
      journal.close();
      expect(fileSystem.calls.slice(-3, -1)).toEqual(['write events.jsonl', 'fdatasync events.jsonl']);
    });
  });

  const damage: readonly { name: string; content: readonly string[]; message: RegExp }[] = [
    {
      name: 'a line that is not JSON',
      content: [lines[0] ?? '', '{"seq":2,\n', lines[2] ?? ''],
      message: /line 2: it is not JSON/,
    },
    {
      name: 'an empty line',
      content: [lines[0] ?? '', '\n', lines[1] ?? ''],
      message: /line 2: it is not JSON/,
    },
    { name: 'a line that is not an event', content: ['null\n'], message: /line 1: it is not an event/ },
    {
      name: 'a line that is missing',
      content: [lines[0] ?? '', lines[2] ?? ''],
      message: /line 2: its seq is 3, but it must be 2/,
    },
    {
      name: 'a line that is there twice',
      content: [lines[0] ?? '', lines[0] ?? ''],
      message: /line 2: its seq is 1/,
    },
    { name: 'a first line that is missing', content: lines.slice(1), message: /line 1: its seq is 2/ },
    {
      name: 'an event of a later version',
      content: [JSON.stringify({ ...events[0], type: 'Teleported' }), '\n'],
      message: /line 1: its type "Teleported" is unknown/,
    },
    {
      name: 'a name that objects have of their own',
      content: [JSON.stringify({ ...events[0], type: 'constructor' }), '\n'],
      message: /its type "constructor" is unknown/,
    },
    {
      name: 'no readable time',
      content: [JSON.stringify({ ...events[0], timestamp: 'yesterday' }), '\n'],
      message: /line 1: its field `timestamp` is "yesterday", but it must be a time: ISO 8601, in UTC/,
    },
  ];
  testEach(damage, ({ content, message }) => {
    const file = journalOf(content.join(''));
    expect(() => readJournal(file)).toThrow(message);
    const known = { code: 'run_damaged', message: expect.stringContaining(file) };
    expect(() => readJournal(file)).toThrow(expect.objectContaining(known));
  });
});

function changeScript(directory: string, script: object): void {
  const file = path.join(directory, 'manifest.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8'));
  writeFileSync(file, JSON.stringify({ ...manifest, options: { ...manifest.options, script } }));
}

describe('resuming from a journal', () => {
  const dot = pipeline('a', 'b', 'start -> a -> b -> exit');
  const aRun = async () => {
    const { directory } = await runOnDisk(dot);
    const journal = path.join(directory, 'events.jsonl');
    return { directory, journal, text: fileOf(directory, 'events.jsonl') };
  };

  test('drops a torn last line and continues after it', async () => {
    const { directory, journal, text } = await aRun();
    const kept = text.split('\n').slice(0, 8).join('\n');
    for (let torn = 1; torn < 300; torn += 37) {
      const image = `${directory}-${torn}`;
      cpSync(directory, image, { recursive: true });
      const rest = text.slice(kept.length + 1).split('\n')[0] ?? '';
      writeFileSync(path.join(image, 'events.jsonl'), `${kept}\n${rest.slice(0, torn)}`);
      expect((await resumePipeline(image)).result).toMatchObject({
        status: 'success',
        path: ['start', 'a', 'b', 'exit'],
      });
      const { events, end } = readJournal(path.join(image, 'events.jsonl'));
      expect(end.torn).toBe(0);
      expect(events[8]?.type).toBe('PipelineResumed');
    }
    expect(fileOf(directory, path.basename(journal))).toBe(text);
  });

  test.each<
    [name: string, damage: (run: Awaited<ReturnType<typeof aRun>>) => void, code: string, message: RegExp]
  >([
    [
      'damage in the middle',
      ({ journal, text }) => writeFileSync(journal, text.replace('"StageCompleted"', '"StageComp')),
      'run_damaged',
      /events\.jsonl is damaged in line \d+: it is not JSON/,
    ],
    [
      'events that contradict each other',
      ({ journal, text }) =>
        writeFileSync(
          journal,
          text
            .slice(text.indexOf('\n') + 1)
            .replaceAll(/"seq":(\d+)/g, (_all, seq) => `"seq":${Number(seq) - 1}`),
        ),
      'run_damaged',
      /damaged in line 1/,
    ],
    [
      'a journal that is missing',
      ({ journal }) => rmSync(journal),
      'run_damaged',
      /the journal .* is missing/,
    ],
    [
      'a journal that is a directory',
      ({ journal }) => {
        rmSync(journal);
        mkdirSync(journal);
      },
      'storage',
      /cannot be read: it is a directory/,
    ],
    [
      'another pipeline',
      ({ directory }) => appendFileSync(path.join(directory, 'pipeline.dot'), '\n// only a comment\n'),
      '',
      /^$/,
    ],
    [
      'another pipeline that means something else',
      ({ directory }) => writeFileSync(path.join(directory, 'pipeline.dot'), dot.replace('Do it', 'Do that')),
      'run_damaged',
      /pipeline\.dot is not the pipeline that this run was started with/,
    ],
    [
      'no pipeline',
      ({ directory }) => rmSync(path.join(directory, 'pipeline.dot')),
      'run_damaged',
      /cannot be read/,
    ],
    [
      'no manifest',
      ({ directory }) => rmSync(path.join(directory, 'manifest.json')),
      'run_damaged',
      /manifest\.json/,
    ],
    [
      'a manifest that is not JSON',
      ({ directory }) => writeFileSync(path.join(directory, 'manifest.json'), '{'),
      'run_damaged',
      /manifest\.json is damaged: it is not JSON/,
    ],
    [
      'a manifest without an id',
      ({ directory }) => writeFileSync(path.join(directory, 'manifest.json'), '{}'),
      'run_damaged',
      /manifest\.json is damaged: run_id: /,
    ],
    [
      'a manifest with an odd script',
      ({ directory }) => changeScript(directory, { nodes: { a: { outcome: 'perhaps' } } }),
      'run_damaged',
      /manifest\.json is damaged: options\.script\.nodes\.a/,
    ],
    [
      'a manifest with a script for another pipeline',
      ({ directory }) => changeScript(directory, { nodes: { nobody: { outcome: 'fail' } } }),
      'run_damaged',
      /manifest\.json is damaged: the script names "nobody"/,
    ],
  ])('with %s', async (_name, damage, code, message) => {
    const run = await aRun();
    damage(run);
    const resumed = resumePipeline(run.directory);
    if (code === '') expect((await resumed).result.status).toBe('success');
    else await expect(resumed).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
  });

  test('where there is no run at all is told', async () => {
    await expect(resumePipeline(temporaryDirectory())).rejects.toMatchObject({
      code: 'run_not_found',
      message: expect.stringContaining('contains no run'),
    });
  });

  test('a run that died before its first event starts', async () => {
    const { directory, journal } = await aRun();
    rmSync(journal);
    rmSync(path.join(directory, 'checkpoint.json'));
    const { result, events } = await resumePipeline(directory);
    expect(result.status).toBe('success');
    expect(events[0]?.type).toBe('PipelineStarted');
  });
});

describe('89: a directory that holds a run', () => {
  const dot = pipeline('start -> exit');
  test.each(['events.jsonl', 'manifest.json'])('is refused: %s is there', async (name) => {
    const directory = temporaryDirectory();
    writeFileSync(path.join(directory, name), '');
    await expect(runOnDisk(dot, { runDirectory: directory })).rejects.toMatchObject({
      code: 'run_exists',
      message: expect.stringContaining('attractor resume'),
    });
  });

  test('a directory that is there and holds none is used', async () => {
    const directory = temporaryDirectory();
    expect((await runOnDisk(dot, { runDirectory: directory })).result.run_dir).toBe(directory);
  });

  test('a file in its place is told', async () => {
    const file = journalOf('');
    await expect(runOnDisk(dot, { runDirectory: file })).rejects.toMatchObject({
      code: 'unusable_directory',
    });
    await expect(runOnDisk(dot, { runDirectory: path.join(file, 'below') })).rejects.toMatchObject({
      code: 'unusable_directory',
      message: expect.stringContaining('cannot be created: a part of the path is not a directory'),
    });
  });
});

describe('the hashes of a journal', () => {
  const sound = journalText(events).text;
  const whole = (texts: readonly string[]): string => texts.map((text) => `${text}\n`).join('');
  const each = sound.trimEnd().split('\n');

  test('chain its lines by SHA-256, the first to nothing', () => {
    let previous = '';
    for (const line of each) {
      const { text, hash = '' } = linkOf(line);
      previous = createHash('sha256').update(previous).update(text).digest('hex');
      expect(hash).toBe(previous);
      expect(JSON.parse(line)).toEqual({ ...JSON.parse(text), hash });
    }
  });

  test('show every flipped bit of a whole line', () => {
    const bytes = Buffer.from(sound);
    const lastLine = bytes.lastIndexOf(0x0a, bytes.length - 2) + 1;
    for (let place = 0; place < bytes.length - 1; place += 1) {
      for (const bit of [1, 4, 32]) {
        const flipped = Buffer.from(bytes);
        flipped[place] = (flipped[place] ?? 0) ^ bit;
        // A line end that comes or goes tears the last line off, as a crash does.
        if (place >= lastLine && flipped[place] === 0x0a) continue;
        expect(() => readJournal(journalOf(flipped)), `bit ${bit} of byte ${place}`).toThrow(
          /damaged in line \d/,
        );
      }
    }
  });

  test('show an event that is gone, though the rest has new numbers', () => {
    const kept = events.toSpliced(1, 1).map((event, index) => ({ ...event, seq: index + 1 }));
    const hashes = each.toSpliced(1, 1).map((line) => linkOf(line).hash);
    const forged = whole(kept.map((event, index) => linked(JSON.stringify(event), hashes[index] ?? '')));
    expect(() => readJournal(journalOf(forged))).toThrow(
      /damaged in line 2: this line or the one before it was changed/,
    );
    const unhashed = whole([each[0] ?? '', JSON.stringify(events[1])]);
    expect(() => readJournal(journalOf(unhashed))).toThrow('damaged in line 2: its hash is missing');
  });

  test('begin where a version continues that knows them', () => {
    const file = journalOf(linesWithoutHash.slice(0, 1).join(''));
    const read = readJournal(file);
    expect(read.end.hash).toBe('');
    const journal = new Journal(file, read.end);
    journal.append(events.slice(1));
    journal.close();
    expect(readJournal(file).events).toEqual(events);
    expect(readJournal(journalOf(linesWithoutHash.join(''))).events).toEqual(events);
  });
});
