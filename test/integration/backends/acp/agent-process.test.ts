import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { AgentProcess } from '../../../../src/backends/acp/agent-process.js';
import { processes } from '../../../support/processes.js';
import { temporaryDirectory } from '../../../support/temporary-directory.js';

/** It minds neither the end of its input nor SIGTERM, and has started a command. */
const stubborn = 'trap "" TERM HUP; sleep 600 & echo $$ > pid; while :; do sleep 1; done';

test('nothing is left behind of an agent when this process is killed', async () => {
  const place = temporaryDirectory();
  const file = path.join(place, 'owner.mjs');
  writeFileSync(file, await ownerOf(place));
  const owner = spawn(process.execPath, [file], { stdio: 'ignore' });
  onTestFinished(() => void owner.kill('SIGKILL'));
  const note = path.join(place, 'pid');
  const group = (): number => (existsSync(note) ? Number(readFileSync(note, 'utf8')) : 0);
  await expect.poll(group, { timeout: 20_000 }).toBeGreaterThan(0);
  const living = () => processes().filter((one) => one.group === group());
  expect(living().length).toBeGreaterThan(1);
  const exited = once(owner, 'exit');
  owner.kill('SIGKILL');
  await exited;
  await expect.poll(living, { timeout: 20_000 }).toEqual([]);
});

test('what agents say last is known when they have ended, also where several end at once', async () => {
  const program = { program: '/bin/sh', args: ['-c', 'echo words >&2; exit 3'], directory: '/' };
  const ended: unknown[] = [];
  const work = async (): Promise<void> => {
    for (let index = 0; index < 15; index += 1) {
      const agent = new AgentProcess({ ...program, environment: process.env });
      ended.push([await agent.exit, agent.lastWords]);
      await agent.stop(true);
    }
  };
  await Promise.all(Array.from({ length: 8 }, work));
  const expected = [{ kind: 'exited', how: 'exit code 3' }, 'words\n'];
  expect(ended).toEqual(Array.from({ length: 120 }, () => expected));
});

test('what an agent says last is known also where this process is held up as it ends', async () => {
  const say = (seconds: number) =>
    new AgentProcess({
      ...{ program: '/bin/sh', args: ['-c', `sleep ${seconds}; echo words >&2; echo more; exit 3`] },
      ...{ directory: '/', environment: process.env },
    });
  const [first, second] = [say(0), say(1)];
  // The end of the second one is noticed with that of the first, before anybody reads what it has said; then its time is over.
  first.output.once('data', () => {
    holdUp(1500);
    setImmediate(() => holdUp(1500));
  });
  holdUp(500);
  expect([await second.exit, second.lastWords]).toEqual([{ kind: 'exited', how: 'exit code 3' }, 'words\n']);
  await Promise.all([first.stop(true), second.stop(true)]);
});

/** Nothing else happens in this process meanwhile. */
function holdUp(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

/** A process of its own that starts the program as the backend does. */
async function ownerOf(directory: string): Promise<string> {
  const { rolldown } = await import('rolldown');
  const input = path.join(import.meta.dirname, '../../../../src/backends/acp/agent-process.ts');
  const build = await rolldown({ input, platform: 'node' });
  const { output } = await build.generate({ format: 'esm' });
  await build.close();
  const order = { program: '/bin/sh', args: ['-c', stubborn], directory, environment: process.env };
  return `${output[0].code}\nnew AgentProcess(${JSON.stringify(order)});\n`;
}
