import { readdirSync, readFileSync } from 'node:fs';

/** A process as the system sees it. */
export interface SystemProcess {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly command: string;
}

/** All processes that have not ended; on systems without /proc, none. */
export function processes(): readonly SystemProcess[] {
  return processIds().flatMap((pid) => {
    const stat = read(`/proc/${pid}/stat`);
    const [state, parent, group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (stat === '' || state === 'Z') return [];
    const command = read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim();
    return [{ pid, parent: Number(parent), group: Number(group), command }];
  });
}

/** Processes with this text in their environment, such as a home directory; those of other users are not known. */
export function processesWith(text: string): readonly SystemProcess[] {
  return processes().filter(({ pid }) => read(`/proc/${pid}/environ`).includes(text));
}

/** The spawners that a process has started. */
export function spawnersOf(owner: number): readonly number[] {
  return processes()
    .filter(({ parent, command }) => parent === owner && command.startsWith('attractor-spawner'))
    .map(({ pid }) => pid);
}

/** Whether a process of this group is there that has not ended. */
export function isGroupAlive(leader: number): boolean {
  try {
    process.kill(-leader, 0);
  } catch {
    return false;
  }
  // What has ended and was not yet asked how still counts as a member of the group.
  return processIds().length === 0 || processes().some(({ group }) => group === leader);
}

function processIds(): readonly number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Boolean);
  } catch {
    return [];
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
