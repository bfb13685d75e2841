import asyncHooks, { type AsyncLocalStorage } from 'node:async_hooks';
import { syncBuiltinESMExports } from 'node:module';
import {
  type ChatCompletionRequest,
  type FixtureOpts,
  type FixtureResponse,
  LLMock,
  type ToolCallResponse,
} from '@copilotkit/aimock';
import { onTestFinished } from 'vitest';

/** What the mock answers to one request, and how it behaves on the wire meanwhile. */
export interface MockTurn {
  readonly response:
    | FixtureResponse
    | ((request: ChatCompletionRequest) => FixtureResponse | Promise<FixtureResponse>);
  readonly wire?: FixtureOpts;
}

/** One turn a request, in order: for all requests, or for those whose conversation has a text in it, by that text. */
export type MockScript = readonly MockTurn[] | Readonly<Record<string, readonly MockTurn[]>>;

/** A request as the mock understood it; all providers' formats are read into one. */
export interface MockRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: ChatCompletionRequest;
}

/** A server on loopback that speaks the wire formats of Anthropic, OpenAI (chat and responses) and Gemini. */
export interface MockModels {
  /** Without a path; `/v1` belongs after it for Anthropic and OpenAI, `/v1beta` for Gemini. */
  readonly url: string;
  /** Keys and addresses of every provider, as variables of the environment. */
  readonly variables: Readonly<Record<string, string>>;
  /** What was asked of a model so far, but for titles and the like. A request without a turn is among them: it is refused with 404. */
  requests(): readonly MockRequest[];
}

/** Starts a mock that is gone when the test that asked for it has ended. */
export async function mockModels(script: MockScript = []): Promise<MockModels> {
  const server = new LLMock({ host: '127.0.0.1', port: 0, logLevel: 'silent' });
  const scripts = isForAll(script) ? [['', script] as const] : Object.entries(script);
  const served: ChatCompletionRequest[] = [];
  server.addFixture({ match: { predicate: isAside }, response: asideAnswer });
  for (const [text, turns] of scripts) addTurns(server, text, turns, served);
  const { result, storages } = withStorages(() => server.start());
  await result;
  onTestFinished(async () => {
    await server.stop();
    for (const storage of storages) storage.disable();
  });
  return {
    url: server.url,
    variables: variablesFor(server.url),
    requests: () => readRequests(server.getRequests().filter(isModelCall), served),
  };
}

/**
 * The storages that a call makes before it first waits. Each server enables one and never disables it, and before Node 24 every promise
 * of the process carries a value for each: a hundred stopped servers would make all later tests twice as slow.
 */
function withStorages<T>(call: () => T): {
  readonly result: T;
  readonly storages: readonly AsyncLocalStorage<unknown>[];
} {
  const original = asyncHooks.AsyncLocalStorage;
  const storages: AsyncLocalStorage<unknown>[] = [];
  asyncHooks.AsyncLocalStorage = class<T> extends original<T> {
    constructor() {
      super();
      storages.push(this);
    }
  };
  syncBuiltinESMExports();
  try {
    return { result: call(), storages };
  } finally {
    asyncHooks.AsyncLocalStorage = original;
    syncBuiltinESMExports();
  }
}

/** What else an answer has; its usage is in the words of its provider. */
export interface FixtureExtras {
  readonly usage?: Readonly<Record<string, number>>;
  readonly finishReason?: string;
  readonly reasoning?: string;
}

/** An answer in words. */
export function says(content: string, more: FixtureExtras = {}): MockTurn {
  return { response: { content, ...more } };
}

/** Calls of tools, all in one answer. */
export function calls(...toolCalls: readonly (readonly [tool: string, input: object | string])[]): MockTurn {
  const response: ToolCallResponse = {
    toolCalls: toolCalls.map(([name, input]) => ({
      name,
      arguments: typeof input === 'string' ? input : JSON.stringify(input),
    })),
  };
  return { response };
}

/** An HTTP error. @param retryAfter seconds, for the header */
export function refuses(
  status: number,
  {
    retryAfter,
    ...error
  }: { readonly retryAfter?: number; message?: string; type?: string; code?: string } = {},
): MockTurn {
  return {
    response: {
      status,
      error: { message: `refused with ${status}`, ...error },
      ...(retryAfter !== undefined && { retryAfter }),
    },
  };
}

/** An answer whose connection breaks in the middle of it. */
export function breaksOff(content: string): MockTurn {
  return { response: { content }, wire: { chunkSize: 4, latency: 5, truncateAfterChunks: 4 } };
}

/** An answer that comes a few letters at a time. @param latency milliseconds between two pieces */
export function crawls(content: string, latency: number): MockTurn {
  return { response: { content }, wire: { chunkSize: 4, latency } };
}

/** HTTP 200 with a body that is not JSON. */
export function garbles(): MockTurn {
  return { response: { content: '' }, wire: { chaos: { malformedRate: 1 } } };
}

function isForAll(script: MockScript): script is readonly MockTurn[] {
  return Array.isArray(script);
}

/**
 * Coding agents have their sessions named, and the next words of their person guessed, by requests of their own that come whenever
 * they like. They take no turn of the script, and count no tokens.
 */
function isAside({ messages, tools = [] }: ChatCompletionRequest): boolean {
  const says = (role: string, wish: RegExp): boolean =>
    messages.some((message) => message.role === role && wish.test(JSON.stringify(message.content)));
  if (says('user', appWish)) return true;
  return tools.length === 0 && (says('system', titleWish) || says('user', codexTitleWish));
}

/** The words of Claude Code, and those of OpenCode. */
const titleWish = /sentence-case title|you are a title generator/i;
/** Those of Codex, as if a person had said them. */
const codexTitleWish = /"Your task is to generate a very short title for a conversation/;
const appWish = /"This is an app-generated request for a suggested next user message/;

const asideAnswer: FixtureResponse = {
  content: '{"title": "A title"}',
  usage: { input_tokens: 0, output_tokens: 0, prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
};

function addTurns(
  server: LLMock,
  text: string,
  turns: readonly MockTurn[],
  served: ChatCompletionRequest[],
): void {
  // Turns with the same predicate are counted together.
  const predicate = (request: ChatCompletionRequest): boolean => hasText(request, text) && !isAside(request);
  for (const [sequenceIndex, { response, wire }] of turns.entries()) {
    const respond = async (request: ChatCompletionRequest): Promise<FixtureResponse> => {
      served.push(request);
      return asProvider(request, typeof response === 'function' ? await response(request) : response);
    };
    server.addFixture({ match: { predicate, sequenceIndex }, response: respond, ...wire });
  }
}

function hasText({ messages }: ChatCompletionRequest, text: string): boolean {
  return text === '' || JSON.stringify(messages).includes(JSON.stringify(text).slice(1, -1));
}

/** Gemini itself ends calls of tools with `STOP`; the mock would say `FUNCTION_CALL`, which some clients take for an error. */
function asProvider({ model }: ChatCompletionRequest, response: FixtureResponse): FixtureResponse {
  const isGeminiCall = /^gemini/i.test(model) && 'toolCalls' in response;
  return isGeminiCall ? { finishReason: 'stop', ...response } : response;
}

const modelCall = /\/(?:messages|responses|chat\/completions)$|:(?:stream)?generateContent/i;

type JournalEntry = ReturnType<LLMock['getRequests']>[number];

function isModelCall({ path }: JournalEntry): boolean {
  return modelCall.test(path.replace(/\?.*$/, ''));
}

/** The server does not keep large bodies; those that it answered by a turn are in the same order. */
function readRequests(
  entries: readonly JournalEntry[],
  served: readonly ChatCompletionRequest[],
): readonly MockRequest[] {
  let answered = 0;
  const ofScript = entries.filter(({ response }) => response.fixture?.response !== asideAnswer);
  return ofScript.map(({ path, headers, body, response }) => {
    const isAnswered = response.fixture !== null && response.chaosAction === undefined;
    const whole = isAnswered ? served[answered] : undefined;
    if (isAnswered) answered += 1;
    const isKept = body !== null && 'messages' in body;
    return { path, headers, body: (isKept ? body : whole) as ChatCompletionRequest };
  });
}

function variablesFor(url: string): Readonly<Record<string, string>> {
  return {
    ANTHROPIC_API_KEY: 'key-of-anthropic',
    ANTHROPIC_BASE_URL: url,
    OPENAI_API_KEY: 'key-of-openai',
    OPENAI_BASE_URL: `${url}/v1`,
    GEMINI_API_KEY: 'key-of-google',
    GOOGLE_GEMINI_BASE_URL: url,
  };
}
