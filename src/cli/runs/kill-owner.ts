import path from 'node:path';
import { printable } from '../../diagnostic/printable.js';
import { describeHolder } from '../../run-directory/lock.js';
import { type RunOwner, runOwner } from '../../run-directory/run-requests.js';
import { runIds, runsHome } from '../../setup/find-run.js';
import { UsageError } from '../../setup/usage-error.js';
import type { Io } from '../io.js';

const pollMs = 50;

/** Waits until a process releases a run. @returns false if it still holds it when the time is up */
export async function releasesInTime(
  directory: string,
  owner: RunOwner,
  milliseconds: number,
): Promise<boolean> {
  const end = Date.now() + milliseconds;
  while (isHeld(directory, owner)) {
    if (Date.now() >= end) return false;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
  return true;
}

function isHeld(directory: string, owner: RunOwner): boolean {
  return runOwner(directory)?.since === owner.since;
}

/**
 * Kills the process that executes a run, and waits until it is gone.
 * @throws UsageError if it is on another machine, or executes other runs too
 */
export async function killOwner(directory: string, owner: RunOwner, io: Io): Promise<void> {
  const name = describeHolder(owner);
  if (owner.elsewhere !== undefined)
    throw new UsageError(`${name} can be killed only there; nothing was killed`);
  const others = otherRunsOf(directory, owner, io);
  if (others.length > 0)
    throw new UsageError(
      `${name} does not respond, but executes other runs too (${others.map(printable).join(', ')}); nothing was killed`,
    );
  io.stderr.write(`attractor: ${name} has not cancelled the run; it is killed\n`);
  try {
    process.kill(owner.pid, 'SIGKILL');
  } catch (error) {
    // It has ended meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
  while (isHeld(directory, owner)) await new Promise((resolve) => setTimeout(resolve, pollMs));
}

/** Ids of other runs below `.attractor/runs` that the same process executes, as a server does. */
function otherRunsOf(directory: string, owner: RunOwner, io: Io): readonly string[] {
  const home = runsHome(io.cwd());
  return runIds(io.cwd()).filter((id) => {
    const other = path.join(home, id);
    const holder = other === path.resolve(directory) ? undefined : runOwner(other);
    return holder?.pid === owner.pid && holder.elsewhere === undefined;
  });
}
