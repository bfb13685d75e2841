import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

/** The milliseconds of processor time that all threads of a process have taken so far (Linux, `proc(5)`). */
export function processorTime(pid) {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name of the command, which may have anything in it, ends at the last parenthesis.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [user, system] = [fields[11], fields[12]].map(Number);
  return millisecondsOf(user + system);
}

/** @param ticks of the clock by which the system counts processor time */
export function millisecondsOf(ticks) {
  return (ticks * 1000) / ticksPerSecond;
}
