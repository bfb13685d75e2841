import type { IncomingMessage, ServerResponse } from 'node:http';
import { abortWith } from '../../abort/abort.js';
import { classifyFailure } from '../ai/classify-failure.js';
import { lastFailure, pauseBeforeRepetition } from '../ai/repeat-request.js';
import { RequestError } from '../ai/request-error.js';
import type { FailureKind, ModelServer } from '../ai/request-failures.js';
import type { OpenRoute } from './agent-gateway.js';
import { addressAtServer, headersForAgent, headersForServer } from './forwarded-headers.js';
import type { RoutedRequest } from './gateway-server.js';
import type { GatewayStage } from './gateway-stage.js';
import { isModelCall, modelAskedFor } from './model-call.js';
import { UpstreamError } from './upstream-error.js';
import { WireMeter } from './wire-meter.js';

/** Failures that no repetition of the agent mends: they end the stage at once (SEMANTICS 122). */
const finalKinds: ReadonlySet<FailureKind> = new Set(['key', 'forbidden', 'quota', 'certificate']);

/**
 * Passes a request of an agent on to the server of its model, and the reply back as it comes. A request that
 * may not be made, or has finally failed, ends the stage; the agent gets no answer to it, so that its
 * conversation ends before.
 */
export async function forwardRequest(
  { route, request, response }: RoutedRequest,
  stage: GatewayStage,
): Promise<void> {
  const over = new AbortController();
  const release = abortWith(over, stage.signal);
  response.once('close', () => over.abort());
  response.on('error', () => undefined);
  try {
    const order = await readOrder(request, route, over.signal);
    if (order === undefined) return refuse(response, 400, 'there is no such path');
    const reply = order.isModelCall ? await askPatiently(order, stage) : await send(order, stage);
    if (reply !== undefined) await passOn(order, reply, response, stage);
  } catch (error) {
    if (over.signal.aborted || response.headersSent) response.destroy();
    else refuse(response, 502, error instanceof Error ? error.message : String(error));
  } finally {
    release();
  }
}

/** Request for the server. */
interface Order {
  readonly route: OpenRoute;
  readonly address: string;
  readonly method: string;
  readonly headers: readonly [string, string][];
  readonly body: Buffer | undefined;
  readonly isModelCall: boolean;
  /** Name of the model; empty if it does not show. */
  readonly model: string;
  readonly signal: AbortSignal;
}

async function readOrder(
  request: IncomingMessage,
  route: OpenRoute,
  signal: AbortSignal,
): Promise<Order | undefined> {
  const { url = '/', method = 'GET', rawHeaders } = request;
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const address = addressAtServer(url, route);
  if (address === undefined) return undefined;
  const body = method === 'GET' || method === 'HEAD' ? undefined : Buffer.concat(chunks);
  const headers = headersForServer(rawHeaders, route);
  const isCall = isModelCall(method, url);
  const model = isCall && body !== undefined ? modelAskedFor(url, body) : '';
  return { route, address, method, headers, body, isModelCall: isCall, model, signal };
}

function send({ address, method, headers, body, signal }: Order, { connections }: GatewayStage) {
  const init = {
    method,
    headers: headers.map(([...pair]) => pair),
    body,
    signal,
    redirect: 'manual',
  } as const;
  return connections.fetch(address, init as RequestInit);
}

/**
 * Makes a request, and again after a failure that may pass (SEMANTICS 122); nothing has reached the agent by then.
 * @returns the reply for the agent; undefined if the stage must end
 */
async function askPatiently(order: Order, stage: GatewayStage): Promise<Response | undefined> {
  for (let requests = 1; ; requests += 1) {
    if (!stage.mayAsk()) return undefined;
    const result = await askOnce(order, stage);
    if (result.kind === 'reply') return result.reply;
    const { error, refusal } = result;
    if (error.failure_category !== 'retryable') {
      if (refusal !== undefined && !finalKinds.has(error.failure.kind)) return refusal;
      stage.end(error);
      return undefined;
    }
    const delay = pauseBeforeRepetition(error, requests, stage.repetitions);
    if (delay === undefined) {
      stage.end(lastFailure(error, requests));
      return undefined;
    }
    // A used-up budget ends the stage now, not after the pause.
    if (!stage.mayAsk()) return undefined;
    await stage.pause(
      error,
      { delay, requests, model: order.model, provider: order.route.provider },
      order.signal,
    );
  }
}

type Result =
  | { readonly kind: 'reply'; readonly reply: Response }
  /** `refusal` is the reply, if there is one, as the agent would get it. */
  | { readonly kind: 'failed'; readonly error: RequestError; readonly refusal: Response | undefined };

async function askOnce(order: Order, stage: GatewayStage): Promise<Result> {
  const server = serverOf(order);
  let reply: Response;
  try {
    reply = await send(order, stage);
  } catch (error) {
    order.signal.throwIfAborted();
    return { kind: 'failed', error: new RequestError(classifyFailure(error, server)), refusal: undefined };
  }
  if (reply.status < 400) return { kind: 'reply', reply };
  const { status, headers } = reply;
  const text = await reply.text();
  const error = new UpstreamError(status, headers, text);
  const refusal = new Response(text, { status, headers });
  return { kind: 'failed', error: new RequestError(classifyFailure(error, server)), refusal };
}

function serverOf({ route, model }: Order): ModelServer {
  const { host, origin, pathname } = new URL(route.upstream);
  return {
    model: `${route.provider}/${model || 'model'}`,
    host,
    baseUrl: `${origin}${pathname}`,
    setting: route.setting,
    isAskedByAgent: true,
  };
}

/** Writes a reply as it comes, and counts its usage before the agent can read its end. */
async function passOn(
  order: Order,
  reply: Response,
  response: ServerResponse,
  stage: GatewayStage,
): Promise<void> {
  response.writeHead(reply.status, headersForAgent(reply.headers));
  response.flushHeaders();
  const isCounted = order.isModelCall && reply.ok;
  const meter = isCounted ? new WireMeter(reply.headers.get('content-type') ?? '') : undefined;
  const count = meter && stage.beginCount(order.route, order.model, meter);
  try {
    for await (const chunk of reply.body ?? []) {
      meter?.add(chunk);
      if (meter?.isComplete) count?.();
      if (!response.write(chunk)) await drained(response, order.signal);
    }
    meter?.end();
  } finally {
    count?.();
  }
  response.end();
}

function drained(response: ServerResponse, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      response.off('drain', done);
      signal.removeEventListener('abort', stop);
    };
    const done = (): void => {
      leave();
      resolve();
    };
    const stop = (): void => {
      leave();
      reject(signal.reason);
    };
    response.once('drain', done);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
  });
}

function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ type: 'error', error: { type: 'api_error', message } }));
}
