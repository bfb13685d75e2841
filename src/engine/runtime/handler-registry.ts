import type { HandlerType } from '../../graph/handler-types.js';
import { describedHandlerType, type HandlerDescription } from '../../graph/known-handler-types.js';
import type { CodergenBackend } from '../handlers/codergen-backend.js';
import type { Handler } from '../handlers/handler.js';
import { builtInHandlers } from '../handlers/index.js';

/** The handlers by type (§4.2). Registering a type that is there already replaces its handler. */
export class HandlerRegistry {
  readonly #custom = new Map<string, Handler>();
  readonly #types = new Map<string, string | HandlerType>();

  /** @param description what lint, routing and pictures should know of a type that is not built in */
  register(type: string, handler: Handler, description?: HandlerDescription): this {
    this.#custom.set(type, handler);
    this.#types.set(type, description === undefined ? type : describedHandlerType(type, description));
    return this;
  }

  /** The registered types, to be told to `compile` so that `type` attributes may name them. */
  get types(): readonly (string | HandlerType)[] {
    return [...this.#types.values()];
  }

  /** Every handler that a run can use, with the built-in ones around a backend. */
  handlers(backend: CodergenBackend | undefined): ReadonlyMap<string, Handler> {
    return new Map<string, Handler>([...builtInHandlers(backend), ...this.#custom]);
  }
}
