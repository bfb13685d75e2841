import { abortWith } from '../../abort/abort.js';
import type { BackendCall } from '../../handlers/codergen-backend.js';
import type { RequestRetry } from '../../machine/progress.js';
import type { ModelLine, ReadyModel } from './model-line.js';
import { lastFailure, pauseBeforeRepetition, type Repetitions } from './repeat-request.js';
import { RequestError } from './request-error.js';
import { shortReason } from './request-failures.js';
import { type ModelReply, type ModelRequest, requestModel } from './request-model.js';

/** Limits of asking again. */
export interface Patience extends Repetitions {
  /** Milliseconds of silence after which a request has failed. */
  readonly idleTimeout: number;
}

export interface AskOptions {
  readonly line: ModelLine;
  readonly call: Pick<BackendCall, 'signal' | 'checkBudget' | 'report' | 'sleep'>;
  readonly patience: Patience;
  warn(message: string): void;
  /** Parts of the request that are not those of its model. */
  request(model: ReadyModel): OwnParts;
}

interface OwnParts extends Omit<ModelRequest, 'server' | 'model' | 'signal' | 'providerOptions' | 'onText'> {
  /** Undefined if the reply is not a part of the answer, so that nobody has seen it before it is whole. */
  readonly onText: ModelRequest['onText'] | undefined;
}

/**
 * Asks for one reply until there is one: again after each failure that may pass, then the next model of the line
 * (SEMANTICS 122, 130). It checks the budgets before each request, and reports every pause.
 * @throws RequestError if no model answers, at once where asking again is useless
 */
export async function askUntilAnswered(options: AskOptions): Promise<ModelReply> {
  const { line, call, warn } = options;
  const before: string[] = [];
  for (;;) {
    const asked = await line.current();
    const result = await askPatiently(options, asked);
    if (result.kind === 'reply') return result.reply;
    const { error } = result;
    const next = error.failure_category === 'retryable' ? await line.next() : undefined;
    if (next === undefined) throw before.length === 0 ? error : allFailed(result, before);
    call.checkBudget();
    before.push(error.message);
    report(options, asked, result, { delay: 0, request_attempt: 1, next_model: next.server.model });
    warn(`${next.server.model} continues, because ${error.message}`);
  }
}

type RequestResult = { readonly kind: 'reply'; readonly reply: ModelReply } | FailedRequest;

interface FailedRequest {
  readonly kind: 'failed';
  readonly error: RequestError;
  /** Number of requests so far to this model, for this reply. */
  readonly requests: number;
  /** True if a part of the reply was reported, which does not count. */
  readonly hasText: boolean;
}

/** Asks one model, and again after pauses. */
async function askPatiently(options: AskOptions, asked: ReadyModel): Promise<RequestResult> {
  const { call } = options;
  for (let requests = 1; ; requests += 1) {
    const result = await askOnce(options, asked, requests);
    if (result.kind === 'reply') return result;
    const delay = pauseAfter(result, options);
    if (delay === undefined) return givenUp(result);
    // A used-up budget ends the stage now, not after the pause.
    call.checkBudget();
    report(options, asked, result, { delay, request_attempt: requests + 1 });
    await call.sleep(delay);
  }
}

/** Pause before the next request to the same model, in milliseconds; undefined if none may follow. */
function pauseAfter({ error, requests }: FailedRequest, { patience, line }: AskOptions): number | undefined {
  // Another model answers sooner than one that says nothing.
  if (error.failure.kind === 'silent' && line.hasNext) return undefined;
  return pauseBeforeRepetition(error, requests, patience);
}

function givenUp(result: FailedRequest): FailedRequest {
  return { ...result, error: lastFailure(result.error, result.requests) };
}

/** The first model may answer again when the stage is retried, whatever the last one said. */
function allFailed({ error, requests }: FailedRequest, before: readonly string[]): RequestError {
  return new RequestError(error.failure, { requests, before, category: 'retryable' });
}

async function askOnce(options: AskOptions, asked: ReadyModel, requests: number): Promise<RequestResult> {
  const { call, patience } = options;
  const { server, model, options: providerOptions, idle } = asked;
  call.signal.throwIfAborted();
  call.checkBudget();
  const over = new AbortController();
  const release = abortWith(over, call.signal);
  const silence = patience.idleTimeout;
  const silent = {
    kind: 'silent',
    server,
    status: undefined,
    said: '',
    category: 'retryable',
    silence,
  } as const;
  idle.expiry(silence, over.signal).then(
    () => over.abort(new RequestError(silent)),
    () => undefined,
  );
  const request = options.request(asked);
  let hasText = false;
  const onText: ModelRequest['onText'] = (channel, text) => {
    hasText ||= request.onText !== undefined;
    request.onText?.(channel, text);
  };
  try {
    const { signal } = over;
    const reply = await requestModel({ ...request, server, model, providerOptions, signal, onText });
    return { kind: 'reply', reply };
  } catch (error) {
    call.signal.throwIfAborted();
    if (!(error instanceof RequestError)) throw error;
    return { kind: 'failed', error, requests, hasText };
  } finally {
    release();
    over.abort();
  }
}

type Next = Pick<RequestRetry, 'delay' | 'request_attempt' | 'next_model'>;

/** Reports what follows a failure: nobody waits in silence. */
function report(
  { call, patience }: AskOptions,
  { address: { provider, model } }: ReadyModel,
  { error, hasText }: FailedRequest,
  next: Next,
): void {
  call.report({
    kind: 'request_retrying',
    provider,
    model,
    reason: shortReason(error.failure),
    error: error.message,
    request_attempts: patience.retries + 1,
    discards_text: hasText,
    ...next,
  });
}
