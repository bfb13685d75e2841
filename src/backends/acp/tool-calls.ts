import type { JsonValue } from '../../graph/json.js';
import { isRecord } from '../../graph/json.js';
import type { BackendCall } from '../../handlers/codergen-backend.js';
import type { FileEdit } from '../../machine/progress.js';
import { BoundedOutput } from '../bounded-output.js';
import { type Fields, recordIn, recordsIn, textIn } from './fields.js';

interface KnownCall {
  readonly tool: string;
  readonly fields: Fields;
  readonly since: number;
  readonly isReported: boolean;
  /** Output that came piece by piece, as the terminal of the call has it. */
  readonly terminal: BoundedOutput | undefined;
}

const longestName = 200;

/** Part of the output of a terminal that is kept: bytes of its beginning and its end. */
const keptOutput = { head: 256 * 1024, tail: 256 * 1024 };

/**
 * Follows the tools that an agent calls, from `tool_call` and `tool_call_update`, and reports the beginning
 * and the end of each once.
 */
export class ToolCalls {
  readonly #call: Pick<BackendCall, 'report' | 'redactor'>;
  readonly #now: () => number;
  readonly #open = new Map<string, KnownCall>();
  readonly #ended = new Set<string>();

  /** @param now milliseconds, from any start */
  constructor(call: Pick<BackendCall, 'report' | 'redactor'>, now: () => number) {
    this.#call = call;
    this.#now = now;
  }

  /** True if any tool was called so far. */
  get hasAny(): boolean {
    return this.#open.size > 0 || this.#ended.size > 0;
  }

  /** Known fields of a call: a request for permission names it by its id only. */
  fieldsOf(id: string): Fields {
    return this.#open.get(id)?.fields ?? {};
  }

  update(update: Fields): void {
    const id = textIn(update, 'toolCallId');
    if (id === undefined || this.#ended.has(id)) return;
    const call = this.#merged(id, update);
    this.#open.set(id, call);
    const status = textIn(call.fields, 'status');
    const isOver = status === 'completed' || status === 'failed';
    // Some agents announce a call before they know its input.
    if (isOver || status === 'in_progress' || isInputKnown(call.fields)) this.#start(id);
    if (isOver) this.#end(id, status === 'completed', outputOf(call));
  }

  /** Ends the open calls when the turn is over: no further end will be reported. */
  finish(): void {
    for (const id of [...this.#open.keys()]) {
      this.#start(id);
      this.#end(id, false, 'the agent did not say how it ended');
    }
  }

  #merged(id: string, update: Fields): KnownCall {
    const known = this.#open.get(id);
    const said = Object.entries(update).filter(([, value]) => value !== null && value !== undefined);
    const fields = { ...known?.fields, ...Object.fromEntries(said) };
    const { since, isReported } = known ?? { since: this.#now(), isReported: false };
    const terminal = this.#withPiece(known?.terminal, terminalPiece(update));
    // The end must have the same name as the beginning.
    return {
      tool: isReported && known !== undefined ? known.tool : nameOf(fields),
      fields,
      since,
      isReported,
      terminal,
    };
  }

  #withPiece(terminal: BoundedOutput | undefined, piece: string | undefined): BoundedOutput | undefined {
    if (piece === undefined) return terminal;
    const output = terminal ?? new BoundedOutput(keptOutput, this.#call.redactor);
    output.add(Buffer.from(piece));
    return output;
  }

  #start(id: string): void {
    const call = this.#open.get(id);
    if (call === undefined || call.isReported) return;
    this.#open.set(id, { ...call, isReported: true });
    const { tool, fields } = call;
    const title = textIn(fields, 'title');
    this.#call.report({
      kind: 'tool_call_started',
      call_id: id,
      tool,
      input: inputOf(fields),
      title: title === tool ? undefined : title && shortened(title),
    });
  }

  #end(id: string, success: boolean, output: string): void {
    const call = this.#open.get(id);
    if (call === undefined) return;
    this.#open.delete(id);
    this.#ended.add(id);
    const duration = Math.max(0, Math.round(this.#now() - call.since));
    const { tool, fields } = call;
    const edits = success ? editsOf(fields) : undefined;
    this.#call.report({ kind: 'tool_call_completed', call_id: id, tool, success, output, duration, edits });
  }
}

/** Name of the tool if the agent gives it, else its kind; else the title for people. */
export function nameOf(call: Fields): string {
  const ofAdapter = textIn(recordIn(recordIn(call, '_meta'), 'claudeCode'), 'toolName');
  const input = recordIn(call, 'rawInput');
  const [server, tool] = [textIn(input, 'server'), textIn(input, 'tool')];
  // A tool of an MCP server, in the form of Codex.
  if (server !== undefined && tool !== undefined) return shortened(`${server}/${tool}`);
  const kind = textIn(call, 'kind');
  const ofKind = kind === 'other' ? undefined : kind;
  const name = textIn(call, 'name') ?? ofAdapter ?? ofKind ?? textIn(call, 'title') ?? 'tool';
  return shortened(name);
}

function shortened(name: string): string {
  return name.length > longestName ? `${name.slice(0, longestName)}…` : name;
}

function hasInput({ rawInput }: Fields): boolean {
  return isRecord(rawInput) ? Object.keys(rawInput).length > 0 : rawInput !== undefined;
}

/** False for an announcement: OpenCode names the directory of a command before the command. */
function isInputKnown({ rawInput }: Fields): boolean {
  return isRecord(rawInput) ? Object.keys(rawInput).some((name) => name !== 'cwd') : rawInput !== undefined;
}

/** Input of a call: anything from a JSON message is JSON. */
function inputOf(call: Fields): JsonValue {
  if (hasInput(call)) return call.rawInput as JsonValue;
  const paths = recordsIn(call, 'locations').flatMap((location) => textIn(location, 'path') ?? []);
  const title = textIn(call, 'title') ?? '';
  return paths.length > 0 ? { title, paths } : { title };
}

/** Changes of files, in the form of the protocol. */
function editsOf(call: Fields): readonly FileEdit[] {
  return recordsIn(call, 'content').flatMap((content) => {
    const path = textIn(content, 'path');
    const after = textIn(content, 'newText');
    if (content.type !== 'diff' || path === undefined || after === undefined) return [];
    return [{ path, before: textIn(content, 'oldText') ?? null, after }];
  });
}

/** Text that the model received, without the decoration for people where an agent sends both. */
function outputOf({ fields, terminal }: KnownCall): string {
  const { rawOutput } = fields;
  const texts = recordsIn(fields, 'content').flatMap((content) => {
    const changed = textIn(content, 'path');
    if (changed !== undefined) return [`changed ${changed}`];
    return typeof rawOutput === 'string' ? [] : (textIn(recordIn(content, 'content'), 'text') ?? []);
  });
  if (texts.length > 0) return texts.join('\n');
  if (terminal !== undefined) return terminal.end();
  if (rawOutput === undefined) return '';
  return typeof rawOutput === 'string' ? rawOutput : JSON.stringify(rawOutput);
}

/** Output of a command since the last update, in the form of Codex, which our capabilities ask it for. */
function terminalPiece(update: Fields): string | undefined {
  return textIn(recordIn(recordIn(update, '_meta'), 'terminal_output'), 'data');
}
