import { jsonSchema, type LanguageModel, type ModelMessage, streamText, type ToolSet } from 'ai';
import { abortWith } from '../../abort/abort.js';
import type { OutputChannel } from '../../machine/progress.js';
import type { Usage } from '../../machine/usage.js';
import { classifyFailure } from './classify-failure.js';
import { RequestError } from './request-error.js';
import type { ModelServer } from './request-failures.js';
import type { AgentTool } from './tools/agent-tool.js';
import { usageOf } from './usage-of.js';
import { usageSoFar } from './usage-so-far.js';

/** One request to a model. */
export interface ModelRequest {
  readonly model: LanguageModel;
  /** For messages. */
  readonly server: ModelServer;
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly Pick<AgentTool, 'name' | 'description' | 'inputSchema'>[];
  /**
   * True if the provider must hold inputs of tools to their schemas; some accept only certain schemas then.
   */
  readonly strictTools?: boolean;
  readonly providerOptions: ProviderOptions;
  readonly maxOutputTokens: number | undefined;
  readonly signal: AbortSignal;
  onText(channel: OutputChannel, text: string): void;
  onWarning(message: string): void;
  /** Called even for an unusable or interrupted reply; undefined if the provider does not report usage. */
  onUsage(usage: Usage | undefined): void;
}

export type ProviderOptions = NonNullable<Parameters<typeof streamText>[0]['providerOptions']>;

/** Complete reply of a model. */
export interface ModelReply {
  readonly text: string;
  readonly calls: readonly RequestedCall[];
  readonly end: ReplyEnd;
  /** Messages of the reply that later requests repeat. */
  readonly messages: readonly ModelMessage[];
}

/** End of a reply: complete, at the length limit, or at a filter of the provider. */
export type ReplyEnd = 'complete' | 'cut_off' | 'filtered';

export interface RequestedCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  /** Reason why the call cannot be made: the tool does not exist, or the input is not valid JSON. */
  readonly problem?: string;
}

/**
 * Asks a model once. Those who call it ask again: here, and within the library, nothing is repeated.
 * @throws RequestError, which says if another request may help; the reason of the signal
 */
export async function requestModel(request: ModelRequest): Promise<ModelReply> {
  const over = new AbortController();
  const release = abortWith(over, request.signal);
  try {
    return await replyTo(request, over.signal);
  } finally {
    release();
    // A server may hold the connection open after an error, and the library would keep listening.
    over.abort();
  }
}

async function replyTo(request: ModelRequest, signal: AbortSignal): Promise<ModelReply> {
  const { model, messages, maxOutputTokens, providerOptions } = request;
  const result = streamText({
    model,
    system: cached({ role: 'system', content: request.system }),
    messages: withCachedEnd(messages),
    tools: toolSet(request),
    maxRetries: 0,
    abortSignal: signal,
    providerOptions,
    // Errors come as parts of the stream; the default handler would print them.
    onError: () => undefined,
    includeRawChunks: true,
    maxOutputTokens,
  });
  const seen = await readStream(request, result.fullStream);
  const { finish } = seen;
  const usage = (finish && usageOf(finish.usage)) ?? seen.usage;
  if (finish === undefined || !isFinished(finish)) {
    if (usage !== undefined) request.onUsage(usage);
    if (seen.error !== undefined) throw new RequestError(classifyFailure(seen.error, request.server));
    throw unfinishedReply(request.server, finish?.finishReason);
  }
  request.onUsage(usage);
  return {
    text: seen.text,
    calls: seen.calls,
    end: endOf(finish.finishReason),
    messages: (await result.response).messages.filter(({ role }) => role === 'assistant'),
  };
}

type Parts = ReturnType<typeof streamText<ToolSet>>['fullStream'];
type Part = Parts extends AsyncIterable<infer One> ? One : never;
type Finish = Extract<Part, { type: 'finish-step' }>;

interface StreamContents {
  text: string;
  readonly calls: RequestedCall[];
  finish: Finish | undefined;
  /** Usage that was reported before the end. */
  usage: Usage | undefined;
  /** Error in the stream as the provider sent it: the library may pass on its message only. */
  error: object | undefined;
}

async function readStream(request: ModelRequest, parts: Parts): Promise<StreamContents> {
  const seen: StreamContents = { text: '', calls: [], finish: undefined, usage: undefined, error: undefined };
  try {
    for await (const part of parts) readPart(request, part, seen);
  } catch (error) {
    if (seen.usage !== undefined) request.onUsage(seen.usage);
    request.signal.throwIfAborted();
    throw new RequestError(classifyFailure(error, request.server));
  }
  return seen;
}

function readPart(request: ModelRequest, part: Part, seen: StreamContents): void {
  switch (part.type) {
    case 'text-delta':
      seen.text += part.text;
      return request.onText('response', part.text);
    case 'reasoning-delta':
      return request.onText('reasoning', part.text);
    case 'start-step':
      for (const warning of part.warnings) request.onWarning(describeWarning(warning));
      return;
    case 'tool-call':
      if (part.providerExecuted !== true) seen.calls.push(requestedCall(part));
      return;
    case 'finish-step':
      seen.finish = part;
      return;
    case 'raw':
      seen.usage = usageSoFar(seen.usage, part.rawValue);
      seen.error = errorIn(part.rawValue) ?? seen.error;
      return;
    case 'error':
      throw typeof part.error === 'string' ? (seen.error ?? part.error) : part.error;
    case 'abort':
      throw request.signal.reason;
    default:
      return;
  }
}

/** An event of a stream, or the response in it, if it reports an error. */
function errorIn(event: unknown): object | undefined {
  if (typeof event !== 'object' || event === null) return undefined;
  if ('error' in event && typeof event.error === 'object' && event.error !== null) return event;
  return 'response' in event ? errorIn(event.response) : undefined;
}

function requestedCall(part: Extract<Part, { type: 'tool-call' }>): RequestedCall {
  const call = { id: part.toolCallId, name: part.toolName, input: part.input as unknown };
  if (part.invalid !== true) return call;
  const { input } = call;
  const problem =
    typeof input === 'string'
      ? `its input is not valid JSON: ${input.slice(0, 200)}`
      : 'there is no such tool';
  return { ...call, problem };
}

type Warning = Extract<Part, { type: 'start-step' }>['warnings'][number];

/** Our words for a warning of a provider's library, with the setting in place of its parameter. */
function describeWarning(warning: Warning): string {
  if (warning.type === 'other') return warning.message;
  return warning.details === undefined
    ? `${warning.feature} is not supported`
    : `${warning.feature}: ${warning.details.replaceAll('maxOutputTokens', '`ai.max_output_tokens`')}`;
}

/** Error for a reply that ended unfinished: a connection was closed, or a server gave up. */
function unfinishedReply(server: ModelServer, reason: string | undefined): RequestError {
  const said = reason === undefined || reason === 'other' ? '' : reason;
  return new RequestError({ kind: 'cut_off', server, status: undefined, said, category: 'retryable' });
}

/** True if a stream gave a real reason for its end: one that just stops does not. */
function isFinished({ finishReason, rawFinishReason }: Finish): boolean {
  if (finishReason === 'error') return false;
  return finishReason !== 'other' || rawFinishReason !== undefined;
}

function endOf(reason: Finish['finishReason']): ReplyEnd {
  switch (reason) {
    case 'length':
      return 'cut_off';
    case 'content-filter':
      return 'filtered';
    default:
      return 'complete';
  }
}

function toolSet({ tools, strictTools: strict }: ModelRequest): ToolSet {
  // Without `execute`: every call comes back to us.
  const entries = tools.map(({ name, description, inputSchema }): [string, ToolSet[string]] => [
    name,
    { description, inputSchema: jsonSchema(inputSchema), strict },
  ]);
  return Object.fromEntries(entries);
}

/**
 * Marks a message for the cache: Anthropic stores everything before the mark and charges a tenth for it
 * next time; others ignore it.
 */
function cached<Message extends ModelMessage>(message: Message): Message {
  return {
    ...message,
    providerOptions: { ...message.providerOptions, anthropic: { cacheControl: { type: 'ephemeral' } } },
  };
}

function withCachedEnd(messages: readonly ModelMessage[]): ModelMessage[] {
  return messages.map((message, index) => (index === messages.length - 1 ? cached(message) : message));
}
