import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';

const place = process.env.ATTRACTOR_AGENTS ?? path.join(import.meta.dirname, '../../e2e/agents');

/** Where the programs of real agents are, if somebody has installed them (`npm run test:agents`). */
const agentBinaries = path.join(place, 'node_modules/.bin');

/** The search path of a process that is to find them. */
export const agentPath = `${agentBinaries}${path.delimiter}${process.env.PATH ?? ''}`;

/** Settings of an agent that is ended only where it hangs: on a busy machine some are silent for more than a minute. */
export const patience = { idle_timeout: 240 };

/** Why a program cannot be tried here, which is also said aloud; undefined where it can. */
export function whyNotStartable(program: string): string | undefined {
  const reason = problemWith(program);
  if (reason !== undefined) console.warn(`SKIPPED: the tests of ${program}: ${reason}`);
  return reason;
}

function problemWith(program: string): string | undefined {
  const file = path.join(agentBinaries, program);
  if (!existsSync(file)) return process.env.ATTRACTOR_AGENTS_PROBLEM || `${program} is not installed`;
  try {
    execFileSync(file, ['--version'], { stdio: ['ignore', 'pipe', 'pipe'], timeout: 60_000 });
    return undefined;
  } catch (error) {
    return `${program} cannot be started: ${error instanceof Error ? error.message.split('\n')[0] : error}`;
  }
}
