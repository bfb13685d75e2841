import { type ChildProcess, spawn } from 'node:child_process';
import { withoutMarks } from '../../handlers/tools/process-tree.js';
import { exitCode } from '../exit-code.js';
import type { Io } from '../io.js';
import { terminalJson } from '../output/terminal-json.js';
import { runName } from '../run-name.js';
import type { DetachedStart } from './detached-output.js';

/** Arguments of the process in the background. */
const [detach, detached] = ['--detach', '--detached'];

/**
 * Makes a call again in a process of its own, which nothing that happens to this one or its terminal ends, and
 * returns as soon as its run has begun. What it prints until then is printed here, so that standard output has the name of
 * the run alone.
 * @param argv the arguments without the names of Node and of the script
 * @returns its exit status if the run did not begin
 */
export async function detachCall(argv: readonly string[], isJson: boolean, io: Io): Promise<number> {
  const script = process.argv[1] ?? '';
  const args = argv.map((word) => (word === detach ? detached : word));
  const child = spawn(process.execPath, [...process.execArgv, script, ...args], {
    cwd: io.cwd(),
    // A run that a tool of another one starts does not end with that tool.
    env: withoutMarks(io.env),
    detached: true,
    stdio: [args.includes('-') ? 'inherit' : 'ignore', 'pipe', 'pipe', 'ipc'],
  });
  const stop = (): void => void child.kill('SIGTERM');
  io.on('SIGINT', stop);
  io.on('SIGTERM', stop);
  try {
    const start = await startOf(child, io);
    if (typeof start === 'number') return start;
    report(start, child.pid, isJson, io);
    return exitCode.ok;
  } finally {
    io.off('SIGINT', stop);
    io.off('SIGTERM', stop);
    letGo(child);
  }
}

/** The run of a process as soon as it has begun, or the exit status of one that has ended without one. */
function startOf(child: ChildProcess, io: Io): Promise<DetachedStart | number> {
  const printed: Buffer[] = [];
  child.stdout?.on('data', (text: Buffer) => void printed.push(text));
  child.stderr?.on('data', (text: Buffer) => void io.stderr.write(text));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('message', (start) => {
      io.stderr.write(Buffer.concat(printed));
      resolve(start as DetachedStart);
    });
    // After its last output.
    child.once('close', (status) => {
      io.stdout.write(Buffer.concat(printed));
      resolve(status ?? exitCode.failure);
    });
  });
}

function letGo(child: ChildProcess): void {
  if (child.connected) child.disconnect();
  child.stdout?.destroy();
  child.stderr?.destroy();
  child.unref();
}

function report(start: DetachedStart, pid: number | undefined, isJson: boolean, io: Io): void {
  if (isJson) return void io.stdout.write(`${terminalJson({ ...start, pid })}\n`);
  const run = runName(start.run_dir, io.cwd());
  io.stdout.write(`${run}\n`);
  io.stderr.write(
    `The run continues in the background (process ${pid}).\n  what it does:  attractor status ${run}\n  until its end: attractor wait ${run}\n`,
  );
}
