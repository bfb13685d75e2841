import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync, readFileSync, readSync, writeSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { OutputStream } from '../../src/cli/io.js';
import { standardOutput } from '../../src/cli/standard-output.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

function opened(file: string, flags: string | number): number {
  const descriptor = openSync(file, flags);
  onTestFinished(() => closeSync(descriptor));
  return descriptor;
}

const newFile = () => opened(path.join(temporaryDirectory(), 'out.txt'), 'w');

/** Both ends of a pipe, which does not wait. */
function newPipe(): number {
  const file = path.join(temporaryDirectory(), 'pipe');
  execFileSync('mkfifo', [file]);
  return opened(file, constants.O_RDWR | constants.O_NONBLOCK);
}

function fullPipe(): number {
  const pipe = newPipe();
  try {
    for (;;) writeSync(pipe, 'x'.repeat(4096));
  } catch {
    return pipe;
  }
}

function received(descriptor: number): string {
  const bytes = Buffer.alloc(100_000);
  try {
    return bytes.toString('utf8', 0, readSync(descriptor, bytes));
  } catch {
    return '';
  }
}

/** The output to a descriptor, and what Node's stream was given, if it was opened. */
function outputTo(descriptor: number, platform: NodeJS.Platform = process.platform) {
  const seen = { opened: 0, written: '', errors: [] as string[] };
  const stream: OutputStream = {
    isTTY: true,
    columns: 80,
    rows: 25,
    write(text, onWritten) {
      seen.written += Buffer.from(text).toString('utf8');
      onWritten?.();
    },
    on: (_event, listener) => listener(new Error('of the stream')),
  };
  const open = (): OutputStream => {
    seen.opened += 1;
    return stream;
  };
  const output = standardOutput(descriptor, open, platform);
  output.on?.('error', (error) => seen.errors.push((error as NodeJS.ErrnoException).code ?? error.message));
  const write = (text: string | Uint8Array) => new Promise<void>((resolve) => output.write(text, resolve));
  return { output, seen, write };
}

const long = 'ä'.repeat(3000);

test.each([
  { name: 'a file', open: newFile, texts: ['one', '', long, long], direct: 4 },
  { name: 'the null device', open: () => opened('/dev/null', 'w'), texts: ['one', long], direct: 2 },
  { name: 'a pipe', open: newPipe, texts: ['one\n', 'two\n'], direct: 2 },
  { name: 'a pipe, long', open: newPipe, texts: ['one\n', long, 'two\n'], direct: 1 },
  { name: 'a full pipe', open: fullPipe, texts: ['one\n', 'two\n'], direct: 0 },
  { name: 'a pipe of Windows', open: newPipe, texts: ['one\n'], direct: 0, platform: 'win32' as const },
  { name: 'what is closed', open: () => 999_999, texts: ['one', ''], direct: 0 },
])('Node opens its stream only for what needs it: $name', async ({ open, texts, direct, platform }) => {
  const { seen, write } = outputTo(open(), platform);
  for (const text of texts) await write(text);
  expect(seen.written).toBe(texts.slice(direct).join(''));
  expect(seen.opened).toBe(direct < texts.length ? 1 : 0);
  expect(seen.errors).toEqual(direct < texts.length ? ['of the stream'] : []);
});

test('what is written without the stream arrives, bytes and text', async () => {
  const directory = temporaryDirectory();
  const file = path.join(directory, 'out.txt');
  const { write } = outputTo(opened(file, 'w'));
  await write(long);
  await write(Buffer.from('end'));
  expect(readFileSync(file, 'utf8')).toBe(`${long}end`);
  const pipe = newPipe();
  await outputTo(pipe).write('one\n');
  expect(received(pipe)).toBe('one\n');
});

test('a terminal has its width, and a stream that inherits from it too; a file has none', () => {
  const { output: terminal } = outputTo(999_999);
  expect([terminal.isTTY, terminal.columns, terminal.rows]).toEqual([true, 80, 25]);
  expect(Object.create(terminal).columns).toBe(80);
  const { output: file, seen } = outputTo(newFile());
  expect([file.isTTY, file.columns, file.rows, seen.opened]).toEqual([undefined, undefined, undefined, 0]);
});

test('the first failure is told, and nothing is written afterwards', async () => {
  const file = path.join(temporaryDirectory(), 'out.txt');
  closeSync(openSync(file, 'w'));
  const { seen, write } = outputTo(opened(file, 'r'));
  await write('one');
  await write('two');
  expect(seen).toEqual({ opened: 0, written: '', errors: ['EBADF'] });
});
