import { rmSync } from 'node:fs';
import path from 'node:path';
import { makeTemporaryDirectory } from '../../../handlers/make-directories.js';
import { runTool } from '../../../handlers/tools/run-tool.js';
import type { Fact, FactFinder } from '../fact.js';

/** A machine on which a command that does nothing takes longer is not usable, in milliseconds. */
const patience = 20_000;

/** Commands of tools, tried with the process that starts them and the shell that runs them. */
export const tools: FactFinder = {
  group: 'machine',
  async find() {
    try {
      return [await tryCommand()];
    } catch (error) {
      return [problem(error instanceof Error ? error.message : String(error))];
    }
  },
};

async function tryCommand(): Promise<Fact> {
  const directory = makeTemporaryDirectory('attractor-doctor-');
  try {
    const files = { stdout: path.join(directory, 'stdout'), stderr: path.join(directory, 'stderr') };
    const call = { command: 'exit 7', directory, environment: {}, ...files };
    const { exit } = await runTool(call, AbortSignal.timeout(patience));
    if (exit.kind === 'code' && exit.code === 7)
      return { name: 'tools', state: 'ok', found: 'commands run with /bin/sh' };
    return problem(exit.kind === 'error' || exit.kind === 'lost' ? exit.message : 'the shell did not answer');
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function problem(found: string): Fact {
  const help = 'tool stages need /bin/sh, a writable temporary directory, and leave to start processes';
  return { name: 'tools', state: 'problem', found: `no command can be run: ${found}`, help };
}
