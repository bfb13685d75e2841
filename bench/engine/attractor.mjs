import { mkdtempSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { compile, HandlerRegistry, nodeFileSystem, run } from '../../dist/index.js';
import { countingFileSystem } from './counting-file-system.mjs';

/** A handler that does nothing, as a program would bring one. @param onStep called each time */
export function doingNothing(onStep = () => undefined) {
  const execute = () => {
    onStep();
    return { status: 'success' };
  };
  return new HandlerRegistry().register('nothing', { execute });
}

const handlers = doingNothing();

export function compiled(dot) {
  const compilation = compile(dot, { handlerTypes: handlers.types });
  if (compilation.diagnostics.some(({ severity }) => severity === 'error')) {
    throw new Error(compilation.diagnostics.map(({ message }) => message).join('\n'));
  }
  return compilation;
}

/** Runs a pipeline into a directory of its own. @param steps how many it must take */
export async function play(compilation, home, steps, options = {}) {
  const runDirectory = join(mkdtempSync(join(home, 'run-')), 'run');
  const result = await run(compilation, { runDirectory, handlers, ...options });
  const isLimit = result.status === 'fail' && result.failure_reason.includes('`max_steps`');
  if (!(result.status === 'success' || isLimit) || result.steps < steps) {
    throw new Error(
      `the run ended with ${result.status} after ${result.steps} steps: ${result.failure_reason}`,
    );
  }
  letGo(runDirectory);
  return result;
}

/** A run, and what it wrote, made and still held at its end, by the step. */
export async function playCounted(compilation, home, steps) {
  const { fileSystem, counts } = countingFileSystem(nodeFileSystem);
  let memory = 0;
  await play(compilation, home, steps, {
    fileSystem,
    onEvent: ({ type }) => {
      if (type === 'PipelineCompleted' || type === 'PipelineFailed') memory = heldMemory();
    },
  });
  return { steps, ...counts, memory };
}

function heldMemory() {
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** What nobody will read need not reach the disk, where it would slow down whoever is measured next. */
function letGo(runDirectory) {
  truncateSync(join(runDirectory, 'events.jsonl'));
}
