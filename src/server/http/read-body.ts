import type { Context } from 'hono';
import type { z } from 'zod';
import { describeIssues } from '../../handlers/describe-issues.js';
import { ProblemError } from '../problem-error.js';
import { describeJsonError } from './describe-json-error.js';

/**
 * - `json`: an object
 * - `optional_json`: an object, or nothing for an empty one
 * - `pipeline`: DOT as it is, or an object that has it as `dot`
 */
export type BodyKind = 'json' | 'optional_json' | 'pipeline';

/** The media types of DOT (SEMANTICS 73). */
const dotTypes: readonly string[] = ['text/vnd.graphviz', 'text/plain'];
const jsonType = 'application/json';

/**
 * The body of a request, checked.
 * @throws ProblemError `bad_request` or `unsupported_media_type`
 */
export async function readBody<Schema extends z.ZodType>(
  context: Context,
  { kind, schema }: { readonly kind: BodyKind; readonly schema: Schema },
): Promise<z.output<Schema>> {
  const type = mediaType(context.req.header('content-type'));
  const isDot = kind === 'pipeline' && dotTypes.includes(type);
  const text = utf8(await context.req.arrayBuffer());
  if (isDot) return check({ dot: text }, schema, 'the pipeline');
  if (text.trim() === '' && kind === 'optional_json') return check({}, schema, 'the body');
  if (type !== jsonType) throw unsupported(type, kind);
  return check(parseJson(text), schema, 'the body');
}

function mediaType(header: string | undefined): string {
  return (header ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

function unsupported(type: string, kind: BodyKind): ProblemError {
  const known = [jsonType, ...(kind === 'pipeline' ? dotTypes : [])].join(' or ');
  const found = type === '' ? 'the request has no Content-Type' : `the Content-Type is ${type}`;
  return new ProblemError('unsupported_media_type', `${found}; expected ${known}`);
}

function utf8(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new ProblemError('bad_request', 'the body is not UTF-8 text');
  }
}

function parseJson(text: string): unknown {
  if (text.trim() === '') throw new ProblemError('bad_request', 'the body is empty; expected a JSON object');
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ProblemError('bad_request', `the body is not JSON: ${describeJsonError(error, text)}`);
  }
}

function check<Schema extends z.ZodType>(value: unknown, schema: Schema, what: string): z.output<Schema> {
  const read = parse(value, schema, what);
  if (read.success) return read.data;
  throw new ProblemError('bad_request', `${what}: ${describeIssues(read.error, value)}`);
}

/** Parses a value; one that is nested deeper than the stack allows is a mistake of the client. */
function parse<Schema extends z.ZodType>(value: unknown, schema: Schema, what: string) {
  try {
    return schema.safeParse(value);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new ProblemError('bad_request', `${what}: a value is nested too deeply`);
  }
}
