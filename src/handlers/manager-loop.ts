import { setImmediate } from 'node:timers/promises';
import { abortWith } from '../abort/abort.js';
import { nodeAttribute } from '../graph/attributes.js';
import { childFile } from '../graph/child-file.js';
import { judgeCondition } from '../graph/evaluate-condition.js';
import { lookUp, textOfValue } from '../graph/look-up.js';
import {
  actionWords,
  isManagerAction,
  type ManagerAction,
  managerActions,
} from '../graph/manager-actions.js';
import { stopConditionOf } from '../graph/queries.js';
import { graphTemplate } from '../graph/templates.js';
import { explainUnreadable } from '../graph/unreadable-value.js';
import { failure, type Outcome } from '../machine/outcome.js';
import { inputsOfChild } from './child-inputs.js';
import { contextOfChild, failureOfChild, outcomeWithoutEnd, pipelineFault } from './child-outcome.js';
import type { ChildEnd, ChildRun } from './child-runner.js';
import type { CodergenBackend } from './codergen-backend.js';
import { type Handler, type Stage, StageSuspension } from './handler.js';
import { ingestEnd, ingestTelemetry } from './manager-telemetry.js';
import { Steering } from './steering.js';
import { toolDirectory } from './tools/tool-directory.js';

/**
 * Manager loop (§4.11, SEMANTICS 64): starts its child and checks it in cycles, until the child has ended,
 * the stop condition holds, or the limit of cycles is reached. With `stack.child_autostart=false` it
 * supervises the values that others report under `stack.child.*`.
 */
export function managerLoopHandler(backend?: CodergenBackend): Handler {
  return {
    async execute(stage) {
      if (!nodeAttribute(stage.node, 'stack.child_autostart')) return new Supervision(stage, backend).run();
      const file = childFile(stage.graph, stage.node, { mayAskModel: true });
      if (file === '') {
        return pipelineFault(
          `"${stage.node.id}" has no child to start: name a pipeline with the graph attribute "stack.child_dotfile", or set "stack.child_autostart"=false`,
        );
      }
      const child = stage.runChild({
        file,
        workingDirectory: childDirectory(stage),
        inputs: inputsOfChild(stage),
      });
      return new Supervision(stage, backend, { run: child, file }).run();
    },
  };
}

function childDirectory(stage: Stage): string {
  return toolDirectory(stage, graphTemplate(stage.graph, 'stack.child_workdir'));
}

interface Child {
  readonly run: ChildRun;
  readonly file: string;
}

/** One execution of the loop. */
class Supervision {
  readonly #stage: Stage;
  readonly #child: Child | undefined;
  readonly #actions: ReadonlySet<ManagerAction>;
  readonly #steering: Steering;
  /** Aborted when there is nothing more to wait for. */
  readonly #over = new AbortController();
  /** Set as soon as the child has ended, or waits. */
  #end: ChildEnd | undefined;
  /** Set if its run directory cannot be read or written any more. */
  #broken: { readonly cause: unknown } | undefined;

  constructor(stage: Stage, backend: CodergenBackend | undefined, child?: Child) {
    this.#stage = stage;
    this.#child = child;
    this.#actions = actionsOf(stage);
    this.#steering = new Steering(stage, backend, this.#over.signal);
  }

  async run(): Promise<Outcome> {
    const ended = this.#child === undefined ? undefined : this.#watch(this.#child.run);
    // It is awaited in the end; until then a rejection must not count as unhandled.
    ended?.catch(() => undefined);
    const release = abortWith(this.#over, ended === undefined ? this.#stage.pauseSignal : undefined);
    try {
      return await this.#loop();
    } finally {
      // However the manager ends, its child must not outlive it. A stage that is stopped has its child
      // stopped too.
      if (!this.#stage.signal.aborted) this.#child?.run.cancel();
      await ended;
      this.#over.abort();
      release();
    }
  }

  async #watch(run: ChildRun): Promise<void> {
    try {
      this.#end = await run.end;
    } catch (cause) {
      this.#broken = { cause };
      throw cause;
    } finally {
      this.#over.abort();
    }
  }

  async #loop(): Promise<Outcome> {
    const cycles = nodeAttribute(this.#stage.node, 'manager.max_cycles');
    for (let cycle = 1; cycle <= cycles; cycle += 1) {
      const outcome = await this.#look();
      if (outcome !== undefined) return outcome;
      if (this.#actions.has('wait')) await this.#wait();
    }
    return failure('Max cycles exceeded');
  }

  /** One cycle: observe, steer, then check for the end. */
  async #look(): Promise<Outcome | undefined> {
    // Yields to other work, even without a wait.
    await setImmediate();
    this.#stage.signal.throwIfAborted();
    if (this.#broken !== undefined) throw this.#broken.cause;
    if (this.#end !== undefined && this.#end.kind !== 'ended') return outcomeWithoutEnd(this.#end);
    if (this.#child === undefined && this.#stage.pauseSignal.aborted) {
      throw new StageSuspension('the run is pausing');
    }
    if (this.#actions.has('observe')) this.#observe();
    if (this.#actions.has('steer')) await this.#steering.steer(this.#child?.run);
    return this.#outcomeOfChild() ?? this.#outcomeOfCondition();
  }

  #observe(): void {
    const { context } = this.#stage;
    if (this.#child === undefined) return;
    ingestTelemetry(context, this.#child.run.telemetry());
    if (this.#end?.kind !== 'ended') return;
    ingestEnd(context, this.#end.result);
    const values = contextOfChild(this.#end.result, 'stack.child.context', this.#stage);
    for (const [key, value] of Object.entries(values)) context.set(key, value);
  }

  /** Outcome by the status in the context, whoever wrote it there. */
  #outcomeOfChild(): Outcome | undefined {
    const status = this.#value('context.stack.child.status');
    if (status !== 'completed' && status !== 'failed') return undefined;
    const outcome = this.#value('context.stack.child.outcome');
    if (outcome === 'success') return { status: 'success', notes: 'Child completed' };
    if (status === 'failed') return failure(`Child failed${this.#reason()}`);
    return failure(`Child completed with the outcome "${outcome}", which is not a success${this.#reason()}`);
  }

  #reason(): string {
    if (this.#child !== undefined && this.#end?.kind === 'ended')
      return `: ${failureOfChild(this.#child.file, this.#end.result)}`;
    const reason = this.#value('context.stack.child.failure_reason');
    return reason === '' ? '' : `: ${reason}`;
  }

  #outcomeOfCondition(): Outcome | undefined {
    const { node, context, result, stages } = this.#stage;
    const { condition } = stopConditionOf(node);
    if (condition === undefined) return undefined;
    const scope = {
      result,
      stages,
      outcome: result?.status ?? '',
      preferredLabel: result?.preferred_label ?? '',
      lookup: (key: string) => context.get(key),
    };
    const judged = judgeCondition(condition, scope);
    if (typeof judged !== 'boolean')
      return failure(`"${node.id}" cannot be stopped: ${explainUnreadable(judged)}`, { retryable: false });
    if (!judged) return undefined;
    return { status: 'success', notes: 'Stop condition satisfied' };
  }

  #value(key: string): string {
    return textOfValue(lookUp(key, { lookup: (flat) => this.#stage.context.get(flat) }));
  }

  /** Waits for the next cycle, or for the end of the child: nothing would change until then. */
  async #wait(): Promise<void> {
    const interval = nodeAttribute(this.#stage.node, 'manager.poll_interval').milliseconds;
    try {
      await this.#stage.sleep(interval, this.#over.signal);
    } catch {
      // The next cycle throws the reason.
    }
  }
}

/** Actions of a manager; an unknown word is left out, with a warning (SEMANTICS 64). */
function actionsOf({ node, log }: Stage): ReadonlySet<ManagerAction> {
  const written = actionWords(node);
  for (const word of written) {
    if (isManagerAction(word)) continue;
    const known = managerActions.map((action) => `\`${action}\``).join(', ');
    log(
      'warning',
      `"${word}" in manager.actions of "${node.id}" is not an action, so it is ignored; known actions: ${known}`,
    );
  }
  return new Set(written.filter(isManagerAction));
}
