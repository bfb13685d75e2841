import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** Owner of a lock: enough to distinguish a process from a later one with the same number, and from one of another container or machine. */
export interface LockOwner {
  readonly pid: number;
  /** Boot and start of the process, as the system counts them; empty if the system does not report them. */
  readonly process_start: string;
  /**
   * Time at which it took the lock, by its own clock; undefined in a lock of an earlier version. A random fraction
   * distinguishes two of one millisecond.
   */
  readonly since?: number;
  /** Undefined in a lock of an earlier version, which was never renewed. */
  readonly place?: ProcessHost;
  /** Set for a run of a cluster, of which the directory is a copy; those who keep the copy up to date renew the lock. */
  readonly cluster?: ClusterOwner;
}

/** Owner of a run that a cluster executes. */
export interface ClusterOwner {
  /** Id of the worker that has the run; null while it waits for one in the queue. */
  readonly worker: string | null;
  /** Time since which it has the run or waits, in milliseconds since 1970. */
  readonly since: number;
}

/** Machine and container in which a process number means a process. */
export interface ProcessHost {
  readonly host: string;
  /** Id of the start of the machine; empty where the system does not show one (macOS). */
  readonly boot: string;
  /** PID namespace, of which each container has one; empty where there is none. */
  readonly pid_namespace: string;
}

/** This process, as the owner of a lock that it takes now. */
export function thisOwner(): LockOwner {
  return {
    pid: process.pid,
    process_start: processStart(process.pid),
    since: Date.now() - Math.random(),
    place: thisPlace(),
  };
}

/** @returns undefined for what is not the content of a lock */
export function parseOwner(content: string): LockOwner | undefined {
  let parsed: Partial<Record<keyof LockOwner, unknown>> | null;
  try {
    parsed = JSON.parse(content);
  } catch {
    return undefined;
  }
  const { pid, process_start: start, since, place } = parsed ?? {};
  const cluster = parseCluster(parsed?.cluster);
  if (typeof pid !== 'number' || !Number.isSafeInteger(pid)) return undefined;
  // The queue has no process.
  if (pid < 0 || (pid === 0 && cluster?.worker !== null)) return undefined;
  return {
    pid,
    process_start: String(start ?? ''),
    since: typeof since === 'number' ? since : undefined,
    place: parsePlace(place),
    cluster,
  };
}

function parseCluster(cluster: unknown): ClusterOwner | undefined {
  if (typeof cluster !== 'object' || cluster === null) return undefined;
  const { worker, since } = cluster as Partial<Record<keyof ClusterOwner, unknown>>;
  if (worker === undefined || typeof since !== 'number') return undefined;
  return { worker: worker === null ? null : hostName(worker), since };
}

function parsePlace(place: unknown): ProcessHost | undefined {
  if (typeof place !== 'object' || place === null) return undefined;
  const { host, boot, pid_namespace } = place as Partial<Record<keyof ProcessHost, unknown>>;
  return { host: hostName(host), boot: String(boot ?? ''), pid_namespace: String(pid_namespace ?? '') };
}

/** It is shown to people, and the file may come from anywhere. */
function hostName(host: unknown): string {
  const name = String(host ?? '').replace(/[^\x21-\x7e]/g, '?');
  return name === '' ? 'an unknown host' : name.slice(0, 255);
}

/** True if the number of the owner means the same process here. A lock of an earlier version has no place: it counts as of here. */
export function isOfThisPlace({ place }: LockOwner): boolean {
  if (place === undefined) return true;
  const here = thisPlace();
  if (place.boot !== here.boot || place.pid_namespace !== here.pid_namespace) return false;
  return place.boot !== '' || place.host === here.host;
}

let here: ProcessHost | undefined;

function thisPlace(): ProcessHost {
  here ??= { host: hostName(hostname()), boot: bootId(), pid_namespace: pidNamespace() };
  return here;
}

function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '';
  }
}

function pidNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}

/** True if there is a process with this number here, whether the original one or another. */
export function isProcessAlive(pid: number): boolean {
  return isOwnerAlive({ pid, process_start: '' });
}

/** True if the owner, which must be of this place, has not ended. */
export function isOwnerAlive(owner: LockOwner): boolean {
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  const start = processStart(owner.pid);
  return start === '' || owner.process_start === '' || start === owner.process_start;
}

let ownStart: string | undefined;

/**
 * Boot and start time of a process if /proc has them; empty elsewhere, so that the number alone must do. Every run asks several times for
 * that of this process, which never changes.
 */
function processStart(pid: number): string {
  if (pid !== process.pid) return readProcessStart(pid);
  ownStart ??= readProcessStart(pid);
  return ownStart;
}

function readProcessStart(pid: number): string {
  if (!showsThisNamespace()) return '';
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // A zombie has ended; its parent has not yet collected it.
    return fields[0] === 'Z' ? 'ended' : `${bootId()}/${fields[19] ?? ''}`;
  } catch {
    return '';
  }
}

/** False in a container that has the /proc of the machine around it, in which its numbers mean other processes. */
function showsThisNamespace(): boolean {
  try {
    return readlinkSync('/proc/self') === String(process.pid);
  } catch {
    return false;
  }
}
