const transientCodes: ReadonlySet<string> = new Set([
  ...[
    'ECONNRESET',
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
  if (typeof error !== 'object' || error === null) return undefined;
  const retryable = field(error, 'retryable') ?? field(error, 'isRetryable');
  if (typeof retryable === 'boolean') return retryable;
  const status = Number(field(error, 'status') ?? field(error, 'statusCode') ?? Number.NaN);
  if (status === 408 || status === 429 || (status >= 500 && status <= 599)) return true;
  if (status >= 400 && status <= 499) return false;
  const code = field(error, 'code');
  if (typeof code === 'string' && transientCodes.has(code)) return true;
  const cause = field(error, 'cause');
  return cause === undefined ? undefined : isRetryable(cause);
}

function field(value: object, name: string): unknown {
  return (value as Readonly<Record<string, unknown>>)[name];
}

/** The message of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error && error.message !== '' ? error.message : String(error);
}
