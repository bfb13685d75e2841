import type { Stage } from '../../handlers/handler.js';
import type { ToolRunner } from '../../handlers/tools/run-tool.js';
import { nodeFileSystem } from '../../run-directory/file-system.js';
import type { Exchange } from './exchange.js';
import { type Listener, playExchange } from './play-exchange.js';
import { outputBytes } from './recorded-output.js';
import { stageAttempt, toolRequest } from './recording-tools.js';
import type { Replay } from './replay.js';
import { forAges } from './replay-order.js';

/** Tool runner that repeats the output, the files and the ends of a recorded run's tools. */
export function replayTools(replay: Replay): ToolRunner {
  return async (call, stage) => {
    const exchange = replay.begin(stageAttempt(stage), toolRequest(call, stage.workingDirectory));
    const { reply } = exchange;
    const isStopped = reply.kind === 'tool_ended' && reply.end.stopped === true;
    if (isStopped && !(await isStoppedNow(exchange, replay, stage))) throw replay.notStopped(exchange);
    // A stopped tool has ended by now; its duration does not matter.
    await playExchange(isStopped ? { ...exchange, duration: 0 } : exchange, replay, listenerOf(stage));
    if (reply.kind !== 'tool_ended') return 'no directory';
    stage.makeStageDirectory();
    const source = { directory: replay.recorded.directory, fileSystem: replay.fileSystem };
    const stdout = outputBytes(reply.end.stdout, source);
    const stderr = outputBytes(reply.end.stderr, source);
    // A tool that prints nothing leaves no file.
    if (stdout.length > 0) nodeFileSystem.writeFile(call.stdout, stdout);
    if (stderr.length > 0) nodeFileSystem.writeFile(call.stderr, stderr);
    return { exit: reply.end.exit, stdout: stdout.length, stderr: stderr.length };
  };
}

async function isStoppedNow(exchange: Exchange, replay: Replay, { signal, sleep }: Stage): Promise<boolean> {
  await sleep(exchange.duration).catch(() => undefined);
  if (!signal.aborted) replay.stopsIn(exchange);
  await sleep(forAges).catch(() => undefined);
  return signal.aborted;
}

/** Parts of a stage, which makes them on demand. */
export function listenerOf(stage: Stage): Listener {
  return {
    report: stage.report,
    checkBudget: stage.checkBudget,
    log: stage.log,
    writeFile: stage.writeFile,
    sleep: stage.sleep,
    signal: stage.signal,
    context: stage.context,
    stageDirectory: stage.stageDirectory,
    makeStageDirectory: stage.makeStageDirectory,
    ask: stage.ask,
  };
}
