import { signal } from '@preact/signals';
import type { Problem } from '../../server/api/problem.js';
import { ApiError, type Failure } from './failure.js';

/**
 * State of the server by the last requests: reachable, silent, or in need of a token that this browser
 * lacks.
 */
export const serverState = signal<'there' | 'lost' | 'locked'>('there');

export interface RequestOptions {
  readonly method?: 'GET' | 'POST';
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/**
 * Sends any request to the server.
 * @param path relative to the page, without a leading slash: the server may be behind a proxy, in a folder
 * @throws ApiError; the reason of an abort is thrown unchanged
 */
export async function request(path: string, options: RequestOptions = {}): Promise<Response> {
  const response = await send(path, options);
  if (response.ok || response.status === 304) {
    serverState.value = 'there';
    return response;
  }
  const failure = await failureIn(response);
  serverState.value = response.status === 401 ? 'locked' : 'there';
  throw new ApiError(failure);
}

/** The same, for JSON. The types are those of src/server/api, which the server is tested to keep to. */
export async function requestJson<Body>(path: string, options?: RequestOptions): Promise<Body> {
  const response = await request(path, options);
  try {
    return (await response.json()) as Body;
  } catch (error) {
    throw brokenOff(error) ?? new ApiError({ kind: 'strange', status: response.status });
  }
}

/** A name that others chose, as a part of a path; `.` and `..` would change the path, so that they are spelt out. */
export function part(name: string): string {
  return /^\.{1,2}$/.test(name) ? name.replaceAll('.', '%2E') : encodeURIComponent(name);
}

async function send(
  path: string,
  { method = 'GET', body, headers, signal }: RequestOptions,
): Promise<Response> {
  try {
    return await fetch(path, {
      method,
      headers: body === undefined ? headers : { 'Content-Type': 'application/json', ...headers },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal,
      // The page keeps what it has and asks whether that has changed (use-resource.ts).
      cache: 'no-store',
    });
  } catch (error) {
    throw brokenOff(error) ?? lost();
  }
}

function lost(): ApiError {
  serverState.value = 'lost';
  return new ApiError({ kind: 'lost' });
}

/** Error of an abort by the page, which is not a failure of the server. */
function brokenOff(error: unknown): Error | undefined {
  return error instanceof DOMException && error.name === 'AbortError' ? error : undefined;
}

async function failureIn(response: Response): Promise<Failure> {
  const { status } = response;
  try {
    const problem = (await response.json()) as Partial<Problem> | null;
    if (typeof problem?.error?.message === 'string')
      return { kind: 'refused', status, problem: problem as Problem };
  } catch {
    // No JSON: not from our server.
  }
  return { kind: 'strange', status };
}
