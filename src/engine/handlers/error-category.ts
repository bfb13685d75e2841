const transientCodes: ReadonlySet<string> = new Set([
  ...[
    'ECONNRESET',
    'ENOTFOUND',
    'ECONNREFUSED',
    'ECONNABORTED',
    'EPIPE',
    'ETIMEDOUT',
    'EAI_AGAIN',
    'ENETUNREACH',
    'EHOSTUNREACH',
  ],
  ...['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'UND_ERR_SOCKET'],
]);

/**
 * Whether another attempt may help against an error that a backend threw (the default predicate of §3.6): true for what
 * passes (network, HTTP 408, 429 and 5xx), false for what stays (other 4xx), undefined where the error does not tell.
 */
export function isRetryable(error: unknown): boolean | undefined {
  return judge(error, deepestCause);
}

const deepestCause = 8;

function judge(error: unknown, depth: number): boolean | undefined {
  if (typeof error !== 'object' || error === null || depth === 0) return undefined;
  const retryable = field(error, 'retryable') ?? field(error, 'isRetryable');
  if (typeof retryable === 'boolean') return retryable;
  const status = httpStatus(error);
  if (status === 408 || status === 429 || (status >= 500 && status <= 599)) return true;
  if (status >= 400 && status <= 499) return false;
  const code = field(error, 'code');
  if (typeof code === 'string' && transientCodes.has(code)) return true;
  if (field(error, 'name') === 'TimeoutError') return true;
  return judge(field(error, 'cause'), depth - 1);
}

/** Where the usual clients keep it; NaN without one. */
function httpStatus(error: object): number {
  const response = field(error, 'response');
  const ofResponse =
    typeof response === 'object' && response !== null ? field(response, 'status') : undefined;
  return Number(field(error, 'status') ?? field(error, 'statusCode') ?? ofResponse ?? Number.NaN);
}

function field(value: object, name: string): unknown {
  return (value as Readonly<Record<string, unknown>>)[name];
}

/** The message of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error && error.message !== '' ? error.message : String(error);
}
