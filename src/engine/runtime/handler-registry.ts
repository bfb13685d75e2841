import type { CodergenBackend } from '../handlers/codergen-backend.js';
import type { Handler } from '../handlers/handler.js';
import { builtInHandlers } from '../handlers/index.js';

/** The handlers by type (§4.2). Registering a type that is there already replaces its handler. */
export class HandlerRegistry {
  readonly #custom = new Map<string, Handler>();

  register(type: string, handler: Handler): this {
    this.#custom.set(type, handler);
    return this;
  }

  /** The registered types, to be told to `compile` so that `type` attributes may name them. */
  get types(): readonly string[] {
    return [...this.#custom.keys()];
  }

  /** Every handler that a run can use, with the built-in ones around a backend. */
  handlers(backend: CodergenBackend | undefined): ReadonlyMap<string, Handler> {
    return new Map<string, Handler>([...builtInHandlers(backend), ...this.#custom]);
  }
}
