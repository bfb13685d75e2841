import { ProblemError } from '../problem-error.js';
import { isSafeMethod } from './check-origin.js';
import type { Guard } from './guard.js';

const allowed = ['application/json', 'text/vnd.graphviz', 'text/plain'] as const;

/** Refuses bodies that are neither JSON nor a pipeline, as the forms of other pages send them (SEMANTICS 73). */
export const checkContentType: Guard = (c) => {
  if (isSafeMethod(c.req.method) || !hasBody(c.req.raw.headers)) return undefined;
  const [type = '', ...parameters] = (c.req.header('content-type') ?? '').toLowerCase().split(';');
  const charset = parameters.find((parameter) => parameter.trim().startsWith('charset='));
  if (!allowed.some((one) => one === type.trim())) throw unsupported(`"${type.trim()}"`);
  if (charset !== undefined && !/^charset="?utf-?8"?$/.test(charset.trim()))
    throw unsupported(charset.trim());
  const encoding = c.req.header('content-encoding')?.trim().toLowerCase() ?? 'identity';
  if (encoding !== 'identity') {
    throw new ProblemError(
      'unsupported_media_type',
      `a body with the Content-Encoding "${encoding}" is not supported; send it without one`,
    );
  }
  return undefined;
};

/** A body is announced by its length, or by how it is encoded. */
function hasBody(headers: Headers): boolean {
  return (headers.get('content-length') ?? '0') !== '0' || headers.has('transfer-encoding');
}

function unsupported(what: string): ProblemError {
  return new ProblemError(
    'unsupported_media_type',
    `a body of the type ${what} is not supported; the Content-Type may be ${allowed.join(', ')}, all in UTF-8`,
  );
}
