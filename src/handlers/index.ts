import type { BuiltInHandlerType } from '../graph/handler-types.js';
import { codergenHandler } from './codergen.js';
import type { CodergenBackend } from './codergen-backend.js';
import { conditionalHandler } from './conditional.js';
import { exitHandler } from './exit.js';
import { fanInHandler } from './fan-in.js';
import type { Handler } from './handler.js';
import { managerLoopHandler } from './manager-loop.js';
import { parallelHandler } from './parallel.js';
import { pipelineHandler } from './pipeline.js';
import { startHandler } from './start.js';
import { toolHandler, toolHandlerWith } from './tool.js';
import type { ToolRunner } from './tools/run-tool.js';
import { waitHumanHandler } from './wait-human.js';

/**
 * Handlers of the built-in types (§2.8).
 * @param runTool by default on this machine
 */
export function builtInHandlers(
  backend: CodergenBackend | undefined,
  runTool?: ToolRunner,
): ReadonlyMap<BuiltInHandlerType, Handler> {
  return new Map<BuiltInHandlerType, Handler>([
    ['start', startHandler],
    ['exit', exitHandler],
    ['codergen', codergenHandler(backend)],
    ['wait.human', waitHumanHandler],
    ['conditional', conditionalHandler],
    ['parallel', parallelHandler],
    ['parallel.fan_in', fanInHandler(backend)],
    ['tool', runTool === undefined ? toolHandler : toolHandlerWith(runTool)],
    ['stack.manager_loop', managerLoopHandler(backend)],
    ['pipeline', pipelineHandler],
  ]);
}
