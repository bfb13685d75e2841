import { HandlerRegistry } from '../../run/driver/handler-registry.js';
import type { CommonRunOptions } from '../../run/run-options.js';
import { childPolicy } from './child-policy.js';
import { policedHandlers } from './policed-handlers.js';
import type { PolicedRun } from './policed-run.js';

/** Options of a run, with the policy for all of its stages and of the pipelines that they run (§9.5). */
export function applyPolicy<Options extends CommonRunOptions>(options: Options, run: PolicedRun): Options {
  const { handlers = new HandlerRegistry() } = options;
  return { ...options, handlers: policedHandlers(handlers, run), childPolicy: childPolicy(run) };
}
