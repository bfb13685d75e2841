import type { Io, OutputStream } from '../io.js';
import { jsonWithoutCommands, withoutCommands } from './without-commands.js';

/** True in a job of GitHub Actions, whose runner reads commands in the output of its steps. */
export function isGithubActions({ env }: Pick<Io, 'env'>): boolean {
  return env.GITHUB_ACTIONS === 'true';
}

/**
 * The same process, with no workflow command in what it prints, whoever wrote it: only what `commandStream` writes is
 * obeyed.
 * @param isJson true if standard output is for programs
 */
export function ioWithoutCommands(io: Io, isJson: boolean): Io {
  return {
    stdin: io.stdin,
    stdout: filtered(io.stdout, isJson ? jsonWithoutCommands : withoutCommands),
    stderr: filtered(io.stderr, withoutCommands),
    env: io.env,
    cwd: () => io.cwd(),
    on: (event, listener) => io.on(event, listener),
    off: (event, listener) => io.off(event, listener),
  };
}

function filtered(stream: OutputStream, filter: (text: string) => string): OutputStream {
  const filtering: OutputStream = Object.create(stream);
  filtering.write = (text, onWritten) =>
    stream.write(typeof text === 'string' ? filter(text) : text, onWritten);
  return filtering;
}
