import { StageStopped } from '../../handlers/handler.js';

/** Permits of a cluster for stages that use a provider: at most so many at the same time, or begun in a period, over all workers. */
export interface Permits {
  /** True if the stages of a provider need a permit. */
  isLimited(provider: string): boolean;
  /**
   * Waits for a permit, in the order in which stages have asked for one. A holder that another worker has taken over keeps its place, and so
   * does one whose signal says that its stage runs again later.
   * @param holder name of the attempt, unique in the cluster
   * @throws the reason of the signal
   */
  acquire(provider: string, holder: string, signal: AbortSignal): Promise<Permit>;
}

export interface Permit {
  /**
   * Lets the next stage have it.
   * @param keepsPlace true if the stage runs again later, before those that have asked after it
   */
  release(keepsPlace?: boolean): void;
}

/** True if a stage that stops because of this signal runs again later: its run pauses, or its worker leaves. */
export function runsAgain({ reason }: AbortSignal): boolean {
  return reason instanceof StageStopped && reason.why === 'paused';
}
