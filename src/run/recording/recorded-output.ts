import path from 'node:path';
import { makeDirectoryBelow, writeFileAtomically } from '../../run-directory/durable-file.js';
import type { FileSystem } from '../../run-directory/file-system.js';
import { RunError } from '../../run-directory/run-error.js';
import { runFiles } from '../../run-directory/run-files.js';
import { sha256 } from '../../run-directory/sha256.js';
import { writing } from '../../run-directory/storage-error.js';
import type { RecordedOutput } from './exchange.js';

/** Bytes of an output that a line of the recording holds itself. */
const heldInLine = 64 * 1024;

interface Place {
  /** The run directory. */
  readonly directory: string;
  readonly fileSystem: FileSystem;
  readonly redact?: (text: string) => string;
}

/**
 * Keeps a tool's output, byte by byte.
 * @throws RunError `storage`
 */
export function keepOutput(
  { file, size }: { readonly file: string; readonly size: number },
  { directory, fileSystem, redact = (text) => text }: Place,
): RecordedOutput {
  const bytes = size === 0 ? noBytes : readOutput(file, size, fileSystem);
  const text = bytes.toString('utf8');
  const isText = Buffer.from(text).equals(bytes);
  if (bytes.length <= heldInLine)
    return isText ? { kind: 'text', text } : { kind: 'base64', base64: bytes.toString('base64') };
  // Named after its content: the same output is kept once.
  const content = isText ? redact(text) : bytes.toString('base64');
  const name = `${sha256(content)}.${isText ? 'txt' : 'base64'}`;
  const home = path.join(directory, runFiles.recordedOutputs);
  const archivedFile = path.join(home, name);
  writing(archivedFile, () => {
    makeDirectoryBelow(directory, runFiles.recordedOutputs, fileSystem);
    if (!fileSystem.exists(archivedFile)) writeFileAtomically(archivedFile, content, fileSystem);
  });
  return { kind: 'file', file: `${runFiles.recordedOutputs}/${name}`, size: bytes.length };
}

const noBytes = Buffer.alloc(0);

/** Output of a tool, which may have removed its own files. */
function readOutput(file: string, size: number, fileSystem: FileSystem): Buffer {
  try {
    return fileSystem.readFile(file).subarray(0, size);
  } catch {
    return noBytes;
  }
}

/**
 * Bytes of a recorded output.
 * @throws RunError `run_damaged`
 */
export function outputBytes(output: RecordedOutput, { directory, fileSystem }: Place): Buffer {
  switch (output.kind) {
    case 'text':
      return Buffer.from(output.text);
    case 'base64':
      return Buffer.from(output.base64, 'base64');
    case 'file': {
      const file = path.join(directory, output.file);
      if (!fileSystem.exists(file))
        throw new RunError(
          'run_damaged',
          `${file} , the recorded output of a tool, is missing. Restore the file from a copy`,
        );
      const bytes = fileSystem.readFile(file);
      return output.file.endsWith('.base64') ? Buffer.from(bytes.toString('utf8'), 'base64') : bytes;
    }
  }
}
