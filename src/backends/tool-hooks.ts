import { graphAttribute, nodeAttribute } from '../graph/attributes.js';
import type { Graph, Node } from '../graph/graph.js';
import type { JsonValue } from '../graph/json.js';
import type { BackendCall } from '../handlers/codergen-backend.js';
import { BoundedOutput } from './bounded-output.js';
import { runShell, type ShellEnd } from './run-shell.js';

/** Commands around every tool call of a stage (§9.7, SEMANTICS 65). */
export interface ToolHooks {
  /**
   * @returns the reason to skip the call, in words for the model; undefined if it may continue
   */
  before(tool: HookedCall): Promise<string | undefined>;
  /** Its failure is logged, and changes nothing. */
  after(tool: HookedCall, result: HookedResult): Promise<void>;
}

/** Description of a call for a hook, in its environment and as JSON on its standard input. */
export interface HookedCall {
  readonly id: string;
  readonly name: string;
  readonly input: JsonValue;
}

export interface HookedResult {
  readonly success: boolean;
  readonly output: string;
}

type Circumstances = Pick<
  BackendCall,
  'graph' | 'runId' | 'signal' | 'workingDirectory' | 'environment' | 'log' | 'visit' | 'attempt' | 'redactor'
>;

const hookTimeoutMs = 60_000;
const kept = { head: 500, tail: 1500 };

/** The hooks of a stage: those of the node, else the graph's. */
export function toolHooks(node: Node, call: Circumstances): ToolHooks {
  const pre = commandOf(node, call, 'tool_hooks.pre');
  const post = commandOf(node, call, 'tool_hooks.post');
  const run = hookRunner(node, call);
  return {
    async before(tool) {
      if (pre === undefined) return undefined;
      const problem = await run('pre', pre, tool);
      if (problem === undefined) return undefined;
      call.log('warning', `tool_hooks.pre of "${node.id}" skipped the call of ${tool.name}: ${problem}`);
      return `This call was not made: a check before it refused it (${problem}).`;
    },
    async after(tool, result) {
      if (post === undefined) return;
      const problem = await run('post', post, tool, result);
      if (problem === undefined) return;
      call.log('warning', `tool_hooks.post of "${node.id}" failed after ${tool.name}: ${problem}`);
    },
  };
}

/** True if a stage has a command before or after its tool calls. */
export function hasToolHooks(node: Node, graph: Graph): boolean {
  return (['tool_hooks.pre', 'tool_hooks.post'] as const).some(
    (name) => commandOf(node, { graph }, name) !== undefined,
  );
}

function commandOf(
  node: Node,
  { graph }: Pick<Circumstances, 'graph'>,
  name: 'tool_hooks.pre' | 'tool_hooks.post',
): string | undefined {
  const command = nodeAttribute(node, name) || graphAttribute(graph, name);
  return command.trim() === '' ? undefined : command;
}

type RunHook = (
  phase: 'pre' | 'post',
  command: string,
  tool: HookedCall,
  result?: HookedResult,
) => Promise<string | undefined>;

/** Makes the function that runs a hook. It returns a description of the failure, if any. */
function hookRunner(node: Node, call: Circumstances): RunHook {
  return async (phase, command, tool, result) => {
    const output = new BoundedOutput(kept, call.redactor);
    const told = {
      phase,
      run_id: call.runId,
      node_id: node.id,
      visit: call.visit,
      attempt: call.attempt,
      tool_name: tool.name,
      tool_call_id: tool.id,
      input: tool.input,
      ...result,
    };
    const end = await runShell(
      {
        command,
        directory: call.workingDirectory,
        environment: {
          ...call.environment(),
          ATTRACTOR_HOOK: phase,
          ATTRACTOR_NODE_ID: node.id,
          ATTRACTOR_TOOL_NAME: tool.name,
          ATTRACTOR_TOOL_CALL_ID: tool.id,
          ATTRACTOR_TOOL_SUCCESS: result === undefined ? undefined : String(result.success),
        },
        input: `${JSON.stringify(told)}\n`,
        timeout: hookTimeoutMs,
        onOutput: (chunk) => output.add(chunk),
      },
      call.signal,
    );
    return problemOf(end, output.end().trim());
  };
}

function problemOf(end: ShellEnd, printed: string): string | undefined {
  const because = printed === '' ? '' : `: ${printed}`;
  switch (end.kind) {
    case 'code':
      return end.code === 0 ? undefined : `exit code ${end.code}${because}`;
    case 'signal':
      return `ended by ${end.signal}${because}`;
    case 'timeout':
      return `it took longer than ${hookTimeoutMs / 1000} seconds${because}`;
    case 'error':
      return end.message;
  }
}
