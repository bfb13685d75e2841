import path from 'node:path';
import type { Stage } from '../../handlers/handler.js';
import type { ToolCall, ToolRunner } from '../../handlers/tools/run-tool.js';
import { BegunExchange } from './begun-exchange.js';
import type { ExchangeRequest } from './exchange.js';
import type { Recorder } from './recorder.js';

/** Tool runner that records its tools and their results. */
export function recordingTools(runTool: ToolRunner, recorder: Recorder): ToolRunner {
  return async (call, stage) => {
    const fullRequest = toolRequest(call, stage.workingDirectory);
    const request = {
      ...fullRequest,
      environment: fullRequest.environment.map((entry) => recorder.keepValue(entry)),
    };
    const exchange = new BegunExchange(recorder, stageAttempt(stage), request, stage.context);
    try {
      const end = await runTool(call, stage);
      if (end === 'no directory') {
        exchange.end({ kind: 'no_directory' });
        return end;
      }
      const stdout = recorder.keepOutput(call.stdout, end.stdout);
      const stderr = recorder.keepOutput(call.stderr, end.stderr);
      const stopped = stage.signal.aborted && ({ stopped: true } as const);
      exchange.end(
        { kind: 'tool_ended', end: { exit: end.exit, stdout, stderr, ...stopped } },
        recorder.statusFile(stage.stageDirectory),
      );
      return end;
    } catch (error) {
      exchange.threw(error);
      throw error;
    }
  };
}

export function stageAttempt({ node, visit, attempt, logsRoot }: Stage) {
  return { nodeId: node.id, visit, attempt, logsRoot };
}

/** Request to a tool: its command, its directory, and the variables of its stage. */
export function toolRequest(
  { command, directory, environment }: ToolCall,
  workingDirectory: string,
): Extract<ExchangeRequest, { readonly kind: 'tool' }> {
  return {
    kind: 'tool',
    command,
    directory: path.relative(workingDirectory, directory) || '.',
    environment: Object.entries(environment).sort(([one], [other]) => (one < other ? -1 : 1)),
  };
}
