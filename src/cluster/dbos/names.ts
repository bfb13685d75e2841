import { randomUUID } from 'node:crypto';

/**
 * Names under which runs stand in the database. A change of `host-run.ts` that repeats recorded steps differently needs a new
 * version: workers take runs of their own version only.
 */
export const names = {
  application: 'attractor',
  version: 'attractor-3',
  workflow: 'run',
  step: 'inputs',
  segment: 'segment',
  topic: 'attractor',
  /** Attempt of a stage that any worker may perform for its run. */
  stage: 'stage',
  /** Step with which an execution of such an attempt begins. */
  stageBegins: 'begun',
  /** Orders to such attempts, and their reports; only workers send them. */
  stageTopic: 'stages',
} as const;

/** Id of a worker that starts in this process. @param machine name of the machine, whose workers share its files */
export function newWorkerId(machine: string): string {
  return `${machine}-${process.pid}-${randomUUID().slice(0, 8)}`;
}

/** Name of the machine of a worker, of which nothing but the id may be left. */
export function machineOf(workerId: string): string {
  return workerId.replace(/-\d+-[0-9a-f]{8}$/, '');
}

/** The worker that runs of a version wait for. */
export function workerOf(version: string): string {
  return `a worker of the version ${version}`;
}
