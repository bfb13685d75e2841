import path from 'node:path';
import { onAbort } from '../abort/abort.js';
import type { InputBody } from '../machine/input.js';
import { isOfThisMachine } from '../run-directory/file-system.js';
import type { Lock } from '../run-directory/lock.js';
import type { RecordedSettings } from '../run-directory/recorded-fields.js';
import { runFiles } from '../run-directory/run-files.js';
import { refuseSteering, watchRequests } from '../run-directory/run-requests.js';
import { noRedactor, type Redactor } from '../secrets/redactor.js';
import type { Driver } from './driver/driver.js';
import type { PauseRequest } from './pause-request.js';
import type { RunQuestions } from './questions/run-questions.js';
import type { RunPorts } from './run-options.js';

/** Means of steering a run while it is driven. */
export interface RunSignals {
  readonly ports: Pick<RunPorts, 'signal' | 'pauseSignal' | 'fileSystem'> & {
    /** Removes secrets from everything that is written, reported and shown (DESIGN §4); none if undefined. */
    readonly secrets?: Redactor;
  };
  /** Aborting it stops the run at once, regardless of `pauseSignal`, so that it can be resumed. */
  readonly stopSignal?: AbortSignal;
  /** Questions for answers from elsewhere; undefined if a recording answers. */
  readonly questions?: RunQuestions;
}

/** Run that is driven. */
interface SteeredRun {
  readonly directory: string;
  readonly settings: RecordedSettings;
  readonly lock: Pick<Lock, 'onLost'>;
}

/** Connects the caller's signals, and requests of other processes, with the run. */
export function listen(
  driver: Driver,
  { directory, settings, lock }: SteeredRun,
  { ports, stopSignal, questions }: RunSignals,
): () => void {
  const { signal, pauseSignal, fileSystem, secrets: redactor = noRedactor } = ports;
  const ask = (input: InputBody): void => driver.dispatch(redactor.json(input));
  const stopWatching = watchRequests(directory, (request) => {
    if (request.kind !== 'steer') return ask(request);
    const { id, text, person: by, stage, branch } = request;
    const to = { stage, branch };
    const words = { id, text, by };
    const refusal = questions === undefined ? driver.words.steer(to, words) : questions.steer(to, words);
    if (refusal !== undefined) refuseSteering(directory, id, refusal);
  });
  const cancel = (): void => ask({ kind: 'cancel' });
  const pause = (): void => ask({ kind: 'pause', ...pauseRequestOf(pauseSignal?.reason) });
  const stop = (): void => ask(stopRequestOf(stopSignal?.reason));
  const releases = [
    lock.onLost((error) => driver.stop(error)),
    onLaterAbort(signal, cancel),
    onLaterAbort(stopSignal, stop),
    onLaterAbort(pauseSignal, pause),
    questions?.connect(driver.questions, driver.words),
    // A simulation asks nobody; and a run that is stored elsewhere has no directory for other processes.
    settings.simulate === true || !isOfThisMachine(fileSystem)
      ? undefined
      : questions?.watchFiles(path.join(directory, runFiles.questions)),
  ];
  return () => {
    stopWatching();
    for (const release of releases) release?.();
  };
}

/** Listens only for a later abort; an earlier one is among the first inputs (`earlySignals`). */
function onLaterAbort(signal: AbortSignal | undefined, action: () => void): () => void {
  return onAbort(signal?.aborted ? undefined : signal, action);
}

/** Requests of signals that were aborted before the run could listen. */
export function earlySignals({ ports, stopSignal }: RunSignals): readonly InputBody[] {
  const { signal, pauseSignal } = ports;
  if (signal?.aborted) return [{ kind: 'cancel' }];
  if (stopSignal?.aborted) return [stopRequestOf(stopSignal.reason)];
  return pauseSignal?.aborted ? [{ kind: 'pause', ...pauseRequestOf(pauseSignal.reason) }] : [];
}

function stopRequestOf(reason: unknown): InputBody {
  return { kind: 'pause', ...pauseRequestOf(reason), mode: 'now' };
}

function pauseRequestOf(reason: unknown): PauseRequest {
  const { mode, reason: text } = (
    typeof reason === 'object' && reason !== null ? reason : {}
  ) as Partial<PauseRequest>;
  return {
    reason: typeof text === 'string' ? text : 'interrupted',
    mode: mode === 'now' ? 'now' : 'after_stage',
  };
}
