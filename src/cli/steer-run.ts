import { printable } from '../diagnostic/printable.js';
import { describeHolder } from '../run-directory/lock.js';
import {
  type ControlRequest,
  isRequestPending,
  type RunOwner,
  runOwner,
} from '../run-directory/run-requests.js';
import { questionsOf } from '../setup/questions-of.js';
import { formatDuration } from '../view/format-duration.js';
import { overviewOf, type RunOverview } from '../view/run-overview.js';
import type { Io } from './io.js';
import { busyStages } from './progress/busy-stages.js';

const pollMs = 100;
const patienceMs = 5000;

/**
 * Waits until the process that executes a run releases it. Reports if it does not notice the request.
 * @returns the result for the run
 */
export async function untilReleased(
  directory: string,
  owner: RunOwner,
  request: ControlRequest,
  io: Io,
): Promise<RunOverview> {
  const askedAt = Date.now();
  let hasWarned = false;
  while (runOwner(directory)?.since === owner.since) {
    await new Promise((resolve) => setTimeout(resolve, pollMs));
    if (hasWarned || Date.now() - askedAt < patienceMs || !isRequestPending(directory, request.kind))
      continue;
    hasWarned = true;
    io.stderr.write(
      `attractor: ${describeHolder(owner)} has not responded yet; it may be stopped, busy, or a different version\n`,
    );
  }
  return overviewOf(directory, Date.now());
}

/** The process that executes a run, at the start of a sentence. */
export function nameAtStart(owner: RunOwner): string {
  const name = describeHolder(owner);
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** What a run waits for before it can respond to a request, as the end of a sentence; empty if a process executes it. */
export function waitingFirst({ cluster }: RunOwner): string {
  return cluster?.worker === null
    ? ', which a worker will do when it takes the run; the request is kept'
    : '';
}

/** The stages that are at work, for people: `build (1m 12s), test (3.0s)`. */
export function runningStages(overview: RunOverview, now: number): string {
  const running = busyStages(overview);
  const named = running.slice(0, 5).map(({ node_id: id, since }) => {
    return `${printable(id)} (${formatDuration(Math.max(0, now - Date.parse(since)))})`;
  });
  const more = running.length > named.length ? ` and ${running.length - named.length} more` : '';
  return named.join(', ') + more;
}

/** Names of the open questions, for people: `the question of gate`; empty if there are none. */
export function openQuestionsOf(overview: RunOverview): string {
  const names = [...new Set(questionsOf(overview).map(({ name }) => printable(name)))];
  if (names.length === 0) return '';
  const more = names.length > 5 ? ` and ${names.length - 5} more` : '';
  return `the ${names.length === 1 ? 'question' : 'questions'} of ${names.slice(0, 5).join(', ')}${more}`;
}
