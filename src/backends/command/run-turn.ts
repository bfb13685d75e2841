import { onAbort } from '../../abort/abort.js';
import type { BackendCall } from '../../handlers/codergen-backend.js';
import { messageOf } from '../../handlers/error-category.js';
import type { Usage } from '../../machine/usage.js';
import { isShortage } from '../guarded-start.js';
import { AgentFailure, agentFailure, cutOffFailure } from './agent-failure.js';
import { AgentProgram, type ProgramEnd, type ProgramOrder } from './agent-program.js';
import type { ChosenCommandAgent } from './command-chooser.js';
import type { KeptText } from './kept-text.js';
import { OutputLines } from './output-lines.js';
import { type TurnOptions, TurnProgress } from './turn-progress.js';

/** One call of an agent's program. */
export interface TurnOrder {
  readonly chosen: ChosenCommandAgent;
  readonly call: BackendCall;
  readonly program: ProgramOrder;
  /** Each is aborted with the reason why it must be stopped, such as a request that has finally failed. */
  readonly endings: readonly (AbortSignal | undefined)[];
  /** True if it continues a conversation. */
  readonly isResumed: boolean;
  /** True while it waits for a person, so that its clocks must not run out. */
  isHeld(): boolean;
  readonly options: TurnOptions;
  /** Keepers of its outputs. */
  readonly stdout: KeptText;
  readonly stderr: KeptText;
}

/** Result of a turn; failures are thrown. */
export type TurnResult =
  | {
      readonly kind: 'answered';
      readonly text: string;
      readonly session: string | undefined;
      readonly usedInSession: Usage | undefined;
    }
  /** The agent does not have the conversation that it was to continue. */
  | { readonly kind: 'session_gone'; readonly message: string };

/** Reason why the program was stopped. */
type Stop =
  | { readonly kind: 'aborted' }
  | { readonly kind: 'threw'; readonly error: unknown }
  | { readonly kind: 'idle' | 'wall' | 'lingering' };

/** Time in milliseconds that a program may stay after it has reported its end. */
const lingerMs = 10_000;

/**
 * Runs an agent's program once. Its exit status alone does not count: without a last fact in its output it
 * has failed, and an error there is a failure whatever the status (Appendix D).
 */
export async function runTurn(order: TurnOrder): Promise<TurnResult> {
  const progress = new TurnProgress(order.options);
  const { end, stop } = await follow(order, progress);
  const { call, chosen } = order;
  if (stop?.kind === 'threw') throw stop.error;
  if (stop?.kind === 'aborted') throw call.signal.reason;
  const { ending } = progress;
  const { title, sessionGone, hasLyingStatus } = chosen.agent;
  const said = lastWords(order, progress, ending?.kind === 'failed' ? ending.message : undefined);
  if (order.isResumed && ending?.kind !== 'finished' && sessionGone?.test(said)) {
    return { kind: 'session_gone', message: said };
  }
  if (ending?.kind === 'failed') throw agentFailure(title, { ...ending, message: said });
  const clock = ending === undefined ? clockFailure(stop, chosen) : undefined;
  if (clock !== undefined) throw clock;
  if (end.kind === 'not_started') throw notStarted(title, end.error);
  if (ending === undefined) {
    const message = `it ended (${describe(end)}) without saying that it has finished${said && `: ${said}`}`;
    throw agentFailure(title, { message });
  }
  if (ending.isCutOff) throw cutOffFailure(title);
  if (!isWell(end) && stop === undefined && !hasLyingStatus) {
    const message = `it ended with ${describe(end)} although it had finished${said && `: ${said}`}`;
    throw agentFailure(title, { message });
  }
  const { session, usedInSession } = progress;
  return { kind: 'answered', text: ending.text, session, usedInSession };
}

/** Runs the program to its end, or stops it. */
async function follow(
  { chosen, call, program: order, endings, isHeld, stdout, stderr }: TurnOrder,
  progress: TurnProgress,
): Promise<{ readonly end: ProgramEnd; readonly stop: Stop | undefined }> {
  const lines = new OutputLines();
  const reader = chosen.agent.output.reader();
  let stop: Stop | undefined;
  let program: AgentProgram | undefined;
  const halt = (why: Stop): void => {
    stop ??= why;
    program?.stop();
  };
  const watch = new Watch(chosen, isHeld, (kind) => halt({ kind }));
  const take = (text: string, isCut: boolean): void => {
    for (const fact of reader.line(text, isCut)) progress.take(fact);
    // After a failure it may try again, with pauses that only the idle clock limits.
    if (progress.ending?.kind === 'finished') watch.linger();
  };
  const guarded = (work: () => void): void => {
    // Output after the stop does not belong to the stage any more.
    if (stop !== undefined) return;
    try {
      work();
    } catch (error) {
      halt({ kind: 'threw', error });
    }
  };
  const releases: (() => void)[] = [];
  try {
    program = new AgentProgram(order, {
      onOutput: (chunk) => {
        watch.hear();
        stdout.add(chunk);
        guarded(() => {
          for (const { text, isCut } of lines.add(chunk)) take(text, isCut);
        });
      },
      onErrorOutput: (chunk) => {
        watch.hear();
        stderr.add(chunk);
      },
    });
    releases.push(onAbort(call.signal, () => halt({ kind: 'aborted' })));
    for (const ending of endings)
      releases.push(onAbort(ending, () => halt({ kind: 'threw', error: ending?.reason })));
    const end = await program.end;
    guarded(() => {
      for (const { text, isCut } of lines.end()) take(text, isCut);
      for (const fact of reader.end(isWell(end))) progress.take(fact);
    });
    return { end, stop };
  } catch (error) {
    return { end: { kind: 'not_started', error: asError(error) }, stop };
  } finally {
    for (const release of releases) release();
    watch.end();
  }
}

/** Clocks of a program, which run in real time as it does. */
class Watch {
  readonly #onTime: (kind: 'idle' | 'wall' | 'lingering') => void;
  readonly #wall: NodeJS.Timeout | undefined;
  readonly #idle: NodeJS.Timeout;
  #lingering: NodeJS.Timeout | undefined;

  constructor(
    { idleTimeout, wallTimeout }: ChosenCommandAgent,
    isHeld: () => boolean,
    onTime: (kind: 'idle' | 'wall' | 'lingering') => void,
  ) {
    this.#onTime = onTime;
    const start = (kind: 'idle' | 'wall', time: number): NodeJS.Timeout => {
      const timer: NodeJS.Timeout = setTimeout(() => (isHeld() ? timer.refresh() : onTime(kind)), time);
      return timer;
    };
    if (wallTimeout !== undefined) this.#wall = start('wall', wallTimeout);
    this.#idle = start('idle', idleTimeout);
  }

  hear(): void {
    this.#idle.refresh();
  }

  linger(): void {
    clearTimeout(this.#lingering);
    this.#lingering = setTimeout(() => this.#onTime('lingering'), lingerMs);
  }

  end(): void {
    for (const timer of [this.#wall, this.#idle, this.#lingering]) clearTimeout(timer);
  }
}

function clockFailure(stop: Stop | undefined, { agent, idleTimeout, wallTimeout = 0 }: ChosenCommandAgent) {
  const retryable = { failure_category: 'retryable' } as const;
  switch (stop?.kind) {
    case 'idle':
      return new AgentFailure(
        `${agent.title} said nothing for ${idleTimeout / 1000} s and was stopped (idle_timeout)`,
        retryable,
      );
    case 'wall':
      return new AgentFailure(
        `${agent.title} was stopped after ${wallTimeout / 1000} s (wall_timeout)`,
        retryable,
      );
    default:
      return undefined;
  }
}

function notStarted(title: string, error: Error): AgentFailure {
  const tooLong = (error as NodeJS.ErrnoException).code === 'E2BIG';
  const hint = tooLong
    ? ': its command line is too long for the system; pass the prompt by `prompt: stdin` or `prompt: file`'
    : `: ${messageOf(error)}`;
  return new AgentFailure(`${title} could not be started${hint}`, {
    failure_category: isShortage(error) ? 'retryable' : 'terminal',
  });
}

const wordsKept = 1000;

/** Words about its failure: the last in its output, or on its standard error. */
function lastWords({ stderr }: TurnOrder, progress: TurnProgress, message: string | undefined): string {
  const words = message || stderr.end(wordsKept).trim() || progress.lastTrouble || '';
  return words.slice(-wordsKept);
}

function describe(end: ProgramEnd): string {
  switch (end.kind) {
    case 'code':
      return `exit code ${end.code}`;
    case 'signal':
      return end.signal;
    case 'not_started':
      return 'not started';
  }
}

function isWell(end: ProgramEnd): boolean {
  return end.kind === 'code' && end.code === 0;
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(messageOf(error));
}
