import type { HandlerType } from '../../graph/handler-types.js';
import { describedHandlerType, type HandlerDescription } from '../../graph/known-handler-types.js';
import type { CodergenBackend } from '../../handlers/codergen-backend.js';
import { foundText } from '../../handlers/found-text.js';
import type { Handler } from '../../handlers/handler.js';
import { builtInHandlers } from '../../handlers/index.js';
import type { ToolRunner } from '../../handlers/tools/run-tool.js';

/** Through what handlers reach the world, where that is not simply this machine. */
export interface RunnerPorts {
  readonly runTool?: ToolRunner;
  /** Puts something around a handler that is registered. */
  readonly around?: (type: string, handler: Handler) => Handler;
}

/** Puts something around any handler, as what refuses some of its stages. */
export type HandlerGuard = (type: string, handler: Handler) => Handler;

/** The handlers by type (§4.2). Registering a type that is there already replaces its handler. */
export class HandlerRegistry {
  readonly #custom = new Map<string, Handler>();
  readonly #types = new Map<string, string | HandlerType>();
  #guard: HandlerGuard | undefined;

  /**
   * @param description what lint, routing and pictures should know of a type that is not built in
   * @throws TypeError for what no compiler has seen: a type that is not a name, a handler that performs nothing
   */
  register(type: string, handler: Handler, description?: HandlerDescription): this {
    if (typeof type !== 'string' || type.trim() === '') {
      throw new TypeError(`register: expected the name of a handler type, found ${foundText(type)}`);
    }
    if (typeof (handler as Partial<Handler> | null)?.execute !== 'function') {
      throw new TypeError(
        `register: the handler of "${type}" must be an object with a function "execute", found ${foundText(handler)}`,
      );
    }
    this.#custom.set(type, handler);
    this.#types.set(type, description === undefined ? type : describedHandlerType(type, description));
    return this;
  }

  /** The same handlers with a guard around each, the built-in ones as well. */
  guardedBy(guard: HandlerGuard): HandlerRegistry {
    const guarded = new HandlerRegistry();
    for (const [type, handler] of this.#custom) guarded.#custom.set(type, handler);
    for (const [type, described] of this.#types) guarded.#types.set(type, described);
    const before = this.#guard;
    guarded.#guard = before === undefined ? guard : (type, handler) => guard(type, before(type, handler));
    return guarded;
  }

  /** The registered types, to be told to `compile` so that `type` attributes may name them. */
  get types(): readonly (string | HandlerType)[] {
    return [...this.#types.values()];
  }

  /** Every handler that a run can use, with the built-in ones around a backend. */
  handlers(
    backend: CodergenBackend | undefined,
    { runTool, around }: RunnerPorts = {},
  ): ReadonlyMap<string, Handler> {
    const custom = [...this.#custom].map(
      ([type, handler]) => [type, around?.(type, handler) ?? handler] as const,
    );
    const handlers = new Map<string, Handler>([...builtInHandlers(backend, runTool), ...custom]);
    const guard = this.#guard;
    if (guard === undefined) return handlers;
    return new Map([...handlers].map(([type, handler]) => [type, guard(type, handler)]));
  }
}
