import { onAbort } from '../../abort/abort.js';
import type { ProgramNode } from '../../graph/program.js';
import { type Handler, StageStopped } from '../../handlers/handler.js';
import type { ExecuteEffect, SayEffect } from '../../machine/effect.js';
import type { InputBody, ReportedInput } from '../../machine/input.js';
import { mainCursor } from '../../machine/state.js';
import type { AttemptStage, StageHost } from '../driver/attempt-stage.js';
import { holding } from '../driver/clock.js';
import { prepareDirectory } from '../driver/run-attempt.js';
import type { BegunAttempt, StagesElsewhere } from './stages-elsewhere.js';

interface AttemptsHost
  extends Pick<StageHost, 'ports' | 'pauseSignal' | 'isBudgeted' | 'spent' | 'raise' | 'keepFiles'> {
  dispatch(input: InputBody & ReportedInput): void;
}

/** Attempts of one run that other machines perform. */
export class AttemptsElsewhere {
  readonly #stages: StagesElsewhere;
  readonly #host: AttemptsHost;
  /** Attempts by cursor. */
  readonly #begun = new Map<string, BegunAttempt>();
  /** Attempts that have got the order to spend nothing more. */
  readonly #told = new WeakSet<BegunAttempt>();

  constructor(stages: StagesElsewhere, host: AttemptsHost) {
    this.#stages = stages;
    this.#host = host;
  }

  /**
   * True for work that takes its time, and that needs nothing of this machine: it holds no other run, continues no conversation, and
   * may run twice if its worker dies.
   */
  takes(
    { cursor, thread }: ExecuteEffect,
    { handler: type, idempotent }: ProgramNode,
    handler: Handler,
  ): boolean {
    if (cursor === mainCursor && !this.#stages.takesMainLine) return false;
    if (type.harmless || type.runsChild || type.joins || handler.isSimulated === true) return false;
    return idempotent && thread === undefined;
  }

  /** @param stage the same attempt here, where it only stops the other one */
  async perform(effect: ExecuteEffect, node: ProgramNode, stage: AttemptStage): Promise<void> {
    const { cursor } = effect;
    const { ports, pauseSignal, isBudgeted } = this.#host;
    const { runId, signal } = stage;
    prepareDirectory(node, stage, ports.store);
    const { steering } = stage;
    steering.refuse(
      `"${node.id}" takes no words now: it waits for a worker (--spread), or its backend takes none`,
    );
    const begun = this.#stages.begin({
      runId,
      effect,
      isBudgeted: isBudgeted(cursor),
      artifacts: ports.artifacts,
      dispatch: (input) => this.#receive(input, effect, signal),
      onReadiness: (readiness) =>
        readiness === 'open' ? steering.open() : steering.refuse(readiness.refusal),
      keepFiles: () => this.#host.keepFiles(stage.path, false),
    });
    this.#begun.set(cursor, begun);
    // The worker that had the run before may have died before it could pass them on.
    for (const words of steering.waiting) begun.tell({ kind: 'say', words });
    const releases = [
      onAbort(pauseSignal, () => {
        const { reason } = pauseSignal;
        if (reason instanceof StageStopped) begun.tell({ kind: 'request_pause', reason: reason.message });
      }),
      onAbort(signal, () => {
        const { reason } = signal;
        if (reason instanceof StageStopped)
          begun.tell({ kind: 'abort', why: reason.why, reason: reason.message });
        else begun.leave();
      }),
    ];
    try {
      await holding(ports.clock, begun.ended);
    } finally {
      for (const release of releases) release();
      if (this.#begun.get(cursor) === begun) this.#begun.delete(cursor);
      stage.close();
    }
  }

  say({ cursor, words }: SayEffect): void {
    this.#begun.get(cursor)?.tell({ kind: 'say', words });
  }

  #receive(input: InputBody & ReportedInput, effect: ExecuteEffect, signal: AbortSignal): void {
    if (input.kind !== 'question_raised') {
      this.#host.dispatch(input);
      if (input.kind === 'stage_progress' && input.progress.kind === 'model_used') this.#tellSpent();
      return;
    }
    const { cursor, index, attempt } = effect;
    const { question } = input;
    this.#host.raise({ cursor, index, attempt }, question, signal).then(
      (answer) => this.#begun.get(cursor)?.tell({ kind: 'deliver', questionId: question.id, answer }),
      // It is stopped, and waits no longer.
      () => undefined,
    );
  }

  /** Each worker knows only what its own stage spends. */
  #tellSpent(): void {
    for (const [cursor, begun] of this.#begun) {
      const reason = this.#told.has(begun) ? undefined : this.#host.spent(cursor);
      if (reason === undefined) continue;
      this.#told.add(begun);
      begun.tell({ kind: 'budget_spent', reason });
    }
  }
}
