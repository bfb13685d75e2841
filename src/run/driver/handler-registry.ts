import type { HandlerType } from '../../graph/handler-types.js';
import { describedHandlerType, type HandlerDescription } from '../../graph/known-handler-types.js';
import { foundText } from '../../graph/values/found-text.js';
import type { CodergenBackend } from '../../handlers/codergen-backend.js';
import type { Handler } from '../../handlers/handler.js';
import { builtInHandlers } from '../../handlers/index.js';
import type { ToolRunner } from '../../handlers/tools/run-tool.js';

/** Connections of handlers to the world, if that is not simply this machine. */
export interface RunnerPorts {
  readonly runTool?: ToolRunner;
  /** Wraps a registered handler. */
  readonly around?: (type: string, handler: Handler) => Handler;
}

/** Wraps any handler, for example to refuse some of its stages. */
export type HandlerGuard = (type: string, handler: Handler) => Handler;

/** Handlers by type (§4.2). Registering an existing type replaces its handler. */
export class HandlerRegistry {
  readonly #custom = new Map<string, Handler>();
  readonly #types = new Map<string, string | HandlerType>();
  #guard: HandlerGuard | undefined;

  /**
   * @param description for lint, routing and pictures, if the type is not built in
   * @throws TypeError for values that no compiler has checked: an invalid name, a handler without `execute`
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

  /** The same handlers with a guard around each, including the built-in ones. */
  guardedBy(guard: HandlerGuard): HandlerRegistry {
    const guarded = new HandlerRegistry();
    for (const [type, handler] of this.#custom) guarded.#custom.set(type, handler);
    for (const [type, described] of this.#types) guarded.#types.set(type, described);
    const before = this.#guard;
    guarded.#guard = before === undefined ? guard : (type, handler) => guard(type, before(type, handler));
    return guarded;
  }

  /** Registered types, to be passed to `compile` so that `type` attributes may name them. */
  get types(): readonly (string | HandlerType)[] {
    return [...this.#types.values()];
  }

  /** All handlers of a run, with the built-in ones around a backend. */
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
