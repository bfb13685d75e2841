import { listFirst } from '../../diagnostic/list-first.js';
import { describeWait } from '../../machine/describe-wait.js';
import type { WatchedStage } from './run-watch.js';

const beatMs = 60_000;
const stagesNamed = 5;

/** Says once a minute what still runs, as long as nothing else is printed: silence looks like a hang. */
export class Heartbeat {
  readonly #text: () => string | undefined;
  readonly #print: (text: string) => void;
  #printedAt = Date.now();
  #timer: NodeJS.Timeout | undefined;

  /** @param text undefined if there is nothing to say */
  constructor(text: () => string | undefined, print: (text: string) => void) {
    this.#text = text;
    this.#print = print;
    this.#wait(beatMs);
  }

  /** Something was printed. */
  printed(): void {
    this.#printedAt = Date.now();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #wait(milliseconds: number): void {
    this.#timer = setTimeout(() => this.#beat(), milliseconds);
    this.#timer.unref();
  }

  #beat(): void {
    const rest = this.#printedAt + beatMs - Date.now();
    if (rest > 0) return this.#wait(rest);
    const text = this.#text();
    if (text !== undefined) this.#print(text);
    this.#printedAt = Date.now();
    this.#wait(beatMs);
  }
}

/** What still runs: `still running: build 3 min, test 2 min`; undefined if nothing does. */
export function stillRunning(stages: readonly WatchedStage[]): string | undefined {
  if (stages.length === 0) return undefined;
  return `still running: ${listFirst(stages.map(stageText), stagesNamed)}`;
}

function stageText({ name, state, elapsedMs, attempt, maxAttempts, activity }: WatchedStage): string {
  const doing = {
    running: activity?.kind === 'waiting' ? activity.text : '',
    asking: 'waiting for an answer',
    waiting: `waiting for attempt ${attempt} of ${maxAttempts}`,
    suspended: 'cannot continue now',
    branches: '',
  }[state];
  // Whole minutes: the next line comes a minute later.
  const minutes = Math.floor(elapsedMs / 60_000) * 60_000;
  const time = describeWait(minutes === 0 ? elapsedMs : minutes);
  return `${name} ${time}${doing === '' ? '' : ` (${doing})`}`;
}
