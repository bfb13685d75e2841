import path from 'node:path';
import { abortWith } from '../../abort/abort.js';
import type { BackendCall, CodergenBackend } from '../../handlers/codergen-backend.js';
import { type Permit, type Permits, runsAgain } from './permits.js';

/**
 * Backend whose calls wait for a permit where the cluster limits their provider. While a person is asked, nobody uses the provider, so
 * others may.
 */
export function limitedBackend(backend: CodergenBackend, permits: Permits): CodergenBackend {
  return {
    readsFiles: (node, call) => backend.readsFiles?.(node, call) ?? false,
    async run(node, prompt, context, call) {
      const provider = providerOf(backend, call)?.toLowerCase();
      if (provider === undefined || !permits.isLimited(provider))
        return backend.run(node, prompt, context, call);
      const holding = new Holding({ permits, provider, call, nodeId: node.id, holder: holderOf(call) });
      await holding.begin();
      try {
        return await backend.run(node, prompt, context, {
          ...call,
          signal: holding.signal,
          sleep: (milliseconds, signal = holding.signal) => call.sleep(milliseconds, signal),
          ask: (question) => holding.without(() => call.ask(question)),
        });
      } finally {
        holding.end();
      }
    },
    mayCost: (model) => backend.mayCost?.(model) ?? true,
    providerOf: (call) => providerOf(backend, call),
    knownSecrets: backend.knownSecrets,
  };
}

function providerOf(
  backend: CodergenBackend,
  call: Pick<BackendCall, 'model' | 'isBudgeted'>,
): string | undefined {
  return backend.providerOf === undefined ? call.model.provider : backend.providerOf(call);
}

/** The same on every worker: one that repeats the attempt has its place in the queue. */
function holderOf({ runId, logsRoot, stageDirectory, visit, attempt }: BackendCall): string {
  return `${runId}/${path.relative(logsRoot, stageDirectory)}#${visit}.${attempt}`;
}

interface HoldingOptions {
  readonly permits: Permits;
  readonly provider: string;
  readonly holder: string;
  readonly nodeId: string;
  readonly call: BackendCall;
}

/** Permit of a call, which it gives back for as long as it waits for a person. */
class Holding {
  readonly #options: HoldingOptions;
  readonly #over = new AbortController();
  readonly #stopListening: () => void;
  #permit: Permit | undefined;
  #hasEnded = false;
  /** Questions that are open. */
  #asking = 0;
  /** The wait for a permit after an answer. */
  #again: Promise<void> | undefined;
  /** Why it has no permit any more, and cannot have one. */
  #refusal: { readonly error: unknown } | undefined;

  constructor(options: HoldingOptions) {
    this.#options = options;
    this.#stopListening = abortWith(this.#over, options.call.signal);
  }

  /** Aborted when the call must stop, also because it has no permit any more. */
  get signal(): AbortSignal {
    return this.#over.signal;
  }

  /** @throws StageSuspension when the run pauses: the stage has done nothing yet */
  async begin(): Promise<void> {
    try {
      await this.#acquire();
    } catch (error) {
      this.#stopListening();
      throw error;
    }
  }

  async without<Result>(wait: () => Promise<Result>): Promise<Result> {
    this.#asking += 1;
    this.#release();
    try {
      return await wait();
    } finally {
      this.#asking -= 1;
      await this.#reacquire();
    }
  }

  /** @throws the reason why a worker that asked a person has no permit any more: its work since then does not count */
  end(): void {
    this.#hasEnded = true;
    this.#stopListening();
    this.#release(runsAgain(this.#options.call.signal));
    if (this.#refusal !== undefined) throw this.#refusal.error;
  }

  /** Waits for the permit again, also if the run pauses: what follows belongs to a stage that is at work. */
  async #reacquire(): Promise<void> {
    const { signal } = this.#over;
    // Another question may have been open when the permit came.
    while (this.#asking === 0 && this.#permit === undefined && !this.#hasEnded && !signal.aborted) {
      this.#again ??= this.#acquire(signal).finally(() => {
        this.#again = undefined;
      });
      await this.#again.catch((error: unknown) => this.#refuse(error));
    }
  }

  /** Stops the work. @throws the error */
  #refuse(error: unknown): never {
    if (!this.#over.signal.aborted) {
      this.#refusal = { error };
      this.#over.abort(error);
    }
    throw error;
  }

  /** @param only signal that ends the wait, if a pause of the run does not */
  async #acquire(only?: AbortSignal): Promise<void> {
    const { permits, provider, holder, call } = this.#options;
    const begun = new AbortController();
    this.#tellLater(begun.signal);
    try {
      const { standBy = (wait) => wait(call.signal) } = call;
      const permit = await standBy((signal) => permits.acquire(provider, holder, only ?? signal));
      // The call may have ended meanwhile, although its question was open, or it asks again.
      if (this.#hasEnded || this.#asking > 0) permit.release();
      else this.#permit = permit;
    } finally {
      begun.abort();
    }
  }

  #release(keepsPlace = false): void {
    this.#permit?.release(keepsPlace);
    this.#permit = undefined;
  }

  /** Says why nothing happens, if it takes a while. */
  #tellLater(begun: AbortSignal): void {
    const { call, provider, nodeId } = this.#options;
    call.sleep(quietMs, begun).then(
      () =>
        call.log(
          'info',
          `"${nodeId}" waits for its turn: the cluster limits the stages that use ${provider}`,
        ),
      () => undefined,
    );
  }
}

const quietMs = 1000;
