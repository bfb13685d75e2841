import { execFile } from 'node:child_process';

/** A program that has not answered by then is not asked any more, in milliseconds. */
const patience = 5000;
const longest = 60;

/** First line that a program prints, such as its version; undefined if it cannot be started or fails. */
export function firstLineOf(program: string, args: readonly string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    const options = { timeout: patience, killSignal: 'SIGKILL', encoding: 'utf8' } as const;
    const child = execFile(program, [...args], options, (error, stdout) => {
      const [line = ''] = stdout.trim().split('\n', 1);
      resolve(error === null ? line.trim().slice(0, longest) : undefined);
    });
    child.stdin?.end();
  });
}
