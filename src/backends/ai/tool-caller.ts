import type { JsonValue } from '../../graph/json.js';
import type { BackendCall } from '../../handlers/codergen-backend.js';
import { StageSuspension } from '../../handlers/handler.js';
import type { ToolHooks } from '../tool-hooks.js';
import type { RequestedCall } from './request-model.js';
import { type AgentTool, type ToolContext, ToolProblem } from './tools/agent-tool.js';
import type { TurnRecord } from './turn-record.js';

/** Result of a tool call, for the model. */
export interface CallResult {
  readonly success: boolean;
  readonly output: string;
}

/** Result of a call, with the question if files may be others now. */
interface CallMade extends CallResult {
  readonly mayHaveChanged: boolean;
}

/** Makes the tool calls of one stage, between its hooks, and reports them (§9.6, §9.7). */
export class ToolCaller {
  readonly #tools: ReadonlyMap<string, AgentTool>;
  readonly #hooks: ToolHooks;
  readonly #context: ToolContext;
  readonly #report: BackendCall['report'];
  readonly #redactor: BackendCall['redactor'];
  readonly #record: TurnRecord;
  readonly #ids = new Map<string, number>();

  constructor(
    tools: readonly AgentTool[],
    hooks: ToolHooks,
    context: ToolContext,
    { report, redactor }: Pick<BackendCall, 'report' | 'redactor'>,
    record: TurnRecord,
  ) {
    this.#tools = new Map(tools.map((tool) => [tool.name, tool]));
    this.#hooks = hooks;
    this.#context = context;
    this.#report = report;
    this.#redactor = redactor;
    this.#record = record;
  }

  /** Reason why a call can never succeed: there is no such tool, or its input is not JSON or does not fit; undefined if it can. */
  problemOf(call: RequestedCall): string | undefined {
    return this.#impossible(call) ?? this.#tools.get(call.name)?.problemWith?.(call.input);
  }

  #impossible({ name, problem }: RequestedCall): string | undefined {
    if (this.#tools.has(name)) return problem;
    const names = [...this.#tools.keys()].join(', ');
    return `there is no tool "${name}"; you have ${names === '' ? 'none' : names}`;
  }

  /** @throws the reason with which the stage was stopped, and nothing else */
  async make(call: RequestedCall): Promise<CallResult> {
    return this.#told(call, (id) => this.#between(call, id));
  }

  /** Reports a call that is answered elsewhere, without hooks. */
  async answer(call: RequestedCall, result: CallResult): Promise<CallResult> {
    return this.#told(call, () => Promise.resolve({ ...result, mayHaveChanged: false }));
  }

  async #told(call: RequestedCall, make: (id: string) => Promise<CallMade>): Promise<CallResult> {
    // The rest of a reply is dropped when the stage has been stopped: another attempt may be at work by
    // now.
    this.#context.signal.throwIfAborted();
    const about = { call_id: this.#uniqueId(call.id), tool: call.name };
    const recorded = this.#record.resultOf(about.call_id);
    if (recorded !== undefined) return recorded;
    const began = performance.now();
    this.#report({ kind: 'tool_call_started', ...about, input: jsonOf(call.input) });
    const interrupted = this.#record.wasInterrupted(about.call_id) || undefined;
    const made = interrupted ? this.#interrupted() : await make(about.call_id);
    const { success, output } = this.#withoutSecrets(made);
    const end = { ...about, success, output, duration: Math.round(performance.now() - began) };
    this.#report({ kind: 'tool_call_completed', ...end });
    await this.#record.keepResult({ ...end, interrupted }, made.mayHaveChanged);
    return { success, output };
  }

  /** Result of a call that was under way when its process or its attempt ended: it is not made again (SEMANTICS 123). */
  #interrupted(): CallMade {
    const files = this.#record.keepsFiles
      ? 'Files that git keeps are as they were before the call; whatever else it did may have happened.'
      : 'It may have been done in part, or completely.';
    const output = `This call was interrupted before its result was known. ${files} Check, and make it again only if it is still needed.`;
    return { success: false, output, mayHaveChanged: false };
  }

  /**
   * Removes secrets from a result: a model must not receive anything that a run may not record (DESIGN §4).
   */
  #withoutSecrets(result: CallMade): CallMade {
    const { output } = result;
    return { ...result, output: this.#redactor?.text(output) ?? output };
  }

  async #between(call: RequestedCall, id: string): Promise<CallMade> {
    const tool = this.#tools.get(call.name);
    const problem = this.#impossible(call);
    if (problem !== undefined || tool === undefined)
      return { success: false, output: `${problem}`, mayHaveChanged: false };
    const hooked = { id, name: call.name, input: jsonOf(call.input) };
    const refusal = await this.#hooks.before(hooked);
    this.#context.signal.throwIfAborted();
    if (refusal !== undefined) return { success: false, output: refusal, mayHaveChanged: false };
    const mayHaveChanged = tool.isReadOnly !== true;
    if (mayHaveChanged) await this.#record.callBegins(id);
    const result = await this.#run(tool, call.input);
    await this.#hooks.after(hooked, result);
    return { ...result, mayHaveChanged };
  }

  async #run(tool: AgentTool, input: unknown): Promise<CallResult> {
    try {
      return { success: true, output: await tool.run(input, this.#context) };
    } catch (error) {
      this.#context.signal.throwIfAborted();
      if (error instanceof StageSuspension) throw error;
      const message = error instanceof Error ? error.message : String(error);
      return {
        success: false,
        output: error instanceof ToolProblem ? message : `the tool failed: ${message}`,
      };
    }
  }

  /** Makes ids unique, because some servers restart their count in every reply. */
  #uniqueId(id: string): string {
    const count = (this.#ids.get(id) ?? 0) + 1;
    this.#ids.set(id, count);
    return count === 1 ? id : `${id}.${count}`;
  }
}

/** Input of a call as JSON, because it came from JSON. */
function jsonOf(input: unknown): JsonValue {
  return (input ?? null) as JsonValue;
}
