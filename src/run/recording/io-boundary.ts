import type { CodergenBackend } from '../../handlers/codergen-backend.js';
import type { Handler } from '../../handlers/handler.js';
import { runToolHere } from '../../handlers/tools/run-tool.js';
import type { HandlerRegistry, RunnerPorts } from '../driver/handler-registry.js';
import { Recorder, type RecorderOptions } from './recorder.js';
import { recordingBackend } from './recording-backend.js';
import { recordingHandler } from './recording-handler.js';
import { recordingTools } from './recording-tools.js';
import type { Replay } from './replay.js';
import { replayBackend } from './replay-backend.js';
import { inRecordedOrder, replayHandler } from './replay-handler.js';
import { replayTools } from './replay-tools.js';

/**
 * Boundary between the stages of a run and models, agents, tools and foreign handlers: recorded, or played
 * back.
 */
export interface IoBoundary {
  /** Handlers of a run around it. */
  handlers(registry: HandlerRegistry, backend: CodergenBackend | undefined): ReadonlyMap<string, Handler>;
  /** Called when the run directory exists and is locked. */
  open(): void;
  close(): void;
}

/** Boundary that records everything. */
export function recordingBoundary(setting: RecorderOptions): IoBoundary {
  const recorder = new Recorder(setting);
  const ports: RunnerPorts = {
    runTool: recordingTools(runToolHere, recorder),
    around: (type, handler) => recordingHandler(type, handler, recorder),
  };
  return {
    handlers: (registry, backend) => registry.handlers(backend && recordingBackend(backend, recorder), ports),
    open: () => recorder.open(),
    close: () => recorder.close(),
  };
}

/**
 * Boundary of a replay: everything comes from a recorded run.
 * @param hasBackend true if that run had one
 */
export function replayBoundary(replay: Replay, hasBackend: boolean): IoBoundary {
  const ports: RunnerPorts = {
    runTool: replayTools(replay),
    around: (type, handler) => replayHandler(type, handler, replay),
  };
  return {
    handlers(registry) {
      const handlers = registry.handlers(hasBackend ? replayBackend(replay) : undefined, ports);
      return new Map([...handlers].map(([type, handler]) => [type, inRecordedOrder(handler, replay)]));
    },
    open: () => undefined,
    close: () => undefined,
  };
}
