import type { Program } from '../../graph/program.js';
import { messageOf } from '../../handlers/error-category.js';
import type { ChildOrigin, RunOptions } from '../../run/run-options.js';
import type { Redactor } from '../../secrets/redactor.js';
import type { Log } from '../../telemetry/log.js';

type OnEvent = NonNullable<RunOptions['onEvent']>;
type OnChildEvent = NonNullable<RunOptions['onChildEvent']>;

/** Observer that measures a run without affecting it. */
export interface RunObserver {
  readonly onEvent: OnEvent;
  readonly onChildEvent: OnChildEvent;
  /** The process releases the run. */
  stop(): void;
}

/** Makes an observer for a run that is about to begin, or to continue. */
export type ObserveRun = (program: Program, redactor: Redactor) => RunObserver;

/** Ports that pass events to an observer too; its errors are logged, and do not reach the run. */
export function observedPorts<
  Ports extends { readonly onEvent: OnEvent; readonly onChildEvent: OnChildEvent },
>(ports: Ports, observer: RunObserver | undefined, log: Log): Ports {
  if (observer === undefined) return ports;
  const guarded = (tell: () => void): void => {
    try {
      tell();
    } catch (error) {
      log.write('error', `a run could not be measured: ${messageOf(error)}`);
    }
  };
  return {
    ...ports,
    onEvent(event) {
      guarded(() => observer.onEvent(event));
      return ports.onEvent(event);
    },
    onChildEvent(event, origin: ChildOrigin) {
      guarded(() => observer.onChildEvent(event, origin));
      return ports.onChildEvent(event, origin);
    },
  };
}
