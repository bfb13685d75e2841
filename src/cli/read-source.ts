import { readNamedFile } from '../run-directory/named-file.js';
import { describeSystemError } from '../run-directory/run-error.js';
import { locateFile } from '../setup/locate-file.js';
import { UsageError } from '../setup/usage-error.js';
import type { Io } from './io.js';

export interface NamedText {
  /** Name as the user gave it; `<stdin>` for `-`. */
  readonly name: string;
  readonly text: string;
  /** True if the file begins with a byte order mark, which the text lacks. */
  readonly hasByteOrderMark: boolean;
}

/**
 * Reads a file of UTF-8 text, or standard input for `-`.
 * @throws UsageError with what is wrong with the file
 */
export async function readSource(file: string, io: Pick<Io, 'stdin' | 'cwd'>): Promise<NamedText> {
  const name = file === '-' ? '<stdin>' : file;
  const bytes = file === '-' ? await readAll(io.stdin) : readBytes(file, io.cwd());
  const text = decode(name, bytes);
  const hasByteOrderMark = bytes.subarray(0, 3).equals(BYTE_ORDER_MARK);
  return { name, text, hasByteOrderMark };
}

async function readAll(stream: Io['stdin']): Promise<Buffer> {
  const { buffer } = await import('node:stream/consumers');
  return buffer(stream);
}

function readBytes(file: string, cwd: string): Buffer {
  try {
    return readNamedFile(locateFile(file, cwd));
  } catch (error) {
    throw new UsageError(`cannot read ${file}: ${describeSystemError(error)}`);
  }
}

const BYTE_ORDER_MARK = Buffer.of(0xef, 0xbb, 0xbf);

function decode(file: string, bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new UsageError(`cannot read ${file}: it is not UTF-8 text. Save it as UTF-8, or name another file`);
  }
}
