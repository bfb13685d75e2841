import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import { signalGroup } from './signal-group.js';

/** Variables that mark a process as started for a stage; each must have its original value. */
export const stageMarks = ['ATTRACTOR_RUN_ID', 'ATTRACTOR_STAGE_DIR'] as const;
/** Distinguishes one command from others that run for its stage at the same time. */
export const commandMark = 'ATTRACTOR_COMMAND_ID';

/** Variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Environment without the marks of a stage: for a process that is started below it by chance, and cleans up
 * by itself.
 */
export function withoutMarks(environment: Environment): Environment {
  const copy: Record<string, string | undefined> = { ...environment };
  for (const name of [...stageMarks, commandMark]) delete copy[name];
  return copy;
}

/**
 * Process that leads its own group, with all its descendants. Members that left the group, as by `setsid`,
 * are found by the marks in their environment, if the system shows it (Linux); they began after the leader.
 */
export class ProcessTree {
  readonly #leader: number | undefined;
  readonly #began: number | undefined;
  readonly #environment: Environment;

  /** @param began start of the leader, which may be gone by now */
  constructor(leader: number | undefined, environment: Environment, began = startOf(leader)) {
    this.#leader = leader;
    this.#began = began;
    this.#environment = environment;
  }

  /** True if the leader runs and has the marks: neither gone, nor another process with its number. */
  get isLed(): boolean {
    const stat = this.#leader === undefined ? undefined : statOf(this.#leader);
    if (this.#leader === undefined || stat === undefined || stat.isOver || stat.start !== this.#began)
      return false;
    const marks = marksIn(this.#environment);
    return marks.length > 0 && isMarked(this.#leader, marks);
  }

  /** Sends a signal to all members. */
  signal(signal: NodeJS.Signals): void {
    signalGroup(this.#leader, signal);
    for (const pid of this.#outsiders()) signalProcess(pid, signal);
  }

  /** Kills all members, including those that are started meanwhile. */
  kill(): void {
    signalGroup(this.#leader, 'SIGKILL');
    const killed = new Set<number>();
    for (let round = 0; round < mostRounds; round += 1) {
      const found = this.#outsiders().filter((pid) => !killed.has(pid));
      if (found.length === 0) return;
      for (const pid of found) {
        killed.add(pid);
        signalProcess(pid, 'SIGKILL');
      }
    }
  }

  /** Kills all members and waits until the system has ended those outside of the group. */
  async end(): Promise<void> {
    this.kill();
    for (let look = 0; look < mostLooks && this.#outsiders().length > 0; look += 1) {
      await new Promise((resolve) => setTimeout(resolve, lookMs));
    }
  }

  /** Members that have left the group. */
  #outsiders(): readonly number[] {
    const began = this.#began;
    const marks = marksIn(this.#environment);
    if (began === undefined || marks.length === 0) return [];
    return processIds().filter((pid) => {
      if (pid === process.pid) return false;
      const stat = statOf(pid);
      // Most processes are older than the stage, so their environments need not be read.
      if (stat === undefined || stat.isOver || stat.start < began || stat.group === this.#leader)
        return false;
      return isMarked(pid, marks);
    });
  }
}

/** Limit of rounds against a program that starts processes faster than they are found. */
const mostRounds = 100;
const mostLooks = 100;
const lookMs = 10;

/**
 * Start of a process in ticks of the system since its boot; undefined if it is gone, or the system does not
 * show it.
 */
export function startOf(pid: number | undefined): number | undefined {
  return pid === undefined ? undefined : statOf(pid)?.start;
}

/** Marks in the form of `/proc/<pid>/environ`, byte for byte; none unless all are set. */
function marksIn(environment: Environment): readonly string[] {
  const isComplete = stageMarks.every((name) => environment[name] !== undefined && environment[name] !== '');
  if (!isComplete) return [];
  return [...stageMarks, commandMark].flatMap((name) => {
    const value = environment[name];
    return value === undefined ? [] : [`\0${Buffer.from(`${name}=${value}`).toString('latin1')}\0`];
  });
}

function isMarked(pid: number, marks: readonly string[]): boolean {
  const environment = readEnvironment(pid);
  return environment !== undefined && marks.every((mark) => `\0${environment}`.includes(mark));
}

interface ProcessStat {
  readonly isOver: boolean;
  readonly group: number;
  readonly start: number;
}

/** For one line of the system, which is read whole; every tool needs it, and a buffer of its own would cost as much. */
const buffer = Buffer.allocUnsafe(4096);

function statOf(pid: number): ProcessStat | undefined {
  const line = readStat(pid);
  if (line === undefined) return undefined;
  // After the name, which may hold anything: state, parent, group, and the start as the twentieth.
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  const [state, , group] = fields;
  return { isOver: state === 'Z' || state === 'X', group: Number(group), start: Number(fields[19]) };
}

function processIds(): readonly number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Boolean);
  } catch {
    return [];
  }
}

function readStat(pid: number): string | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(`/proc/${pid}/stat`, 'r');
    return buffer.toString('latin1', 0, readSync(descriptor, buffer));
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

function readEnvironment(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1');
  } catch {
    return undefined;
  }
}

function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It is gone, or belongs to another user.
  }
}
