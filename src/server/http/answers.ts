import { hash } from 'node:crypto';
import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { usualAnswer } from '../security/security-headers.js';

const jsonType = 'application/json; charset=utf-8';

/** A value as JSON; what others wrote in it is shown, never run (`nosniff`). */
export function jsonAnswer(
  context: Context,
  value: unknown,
  status: ContentfulStatusCode = 200,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return context.body(JSON.stringify(value), status, { 'content-type': jsonType, ...headers });
}

/** Ready JSON text with a validator, or 304 where the client has it already. */
export function jsonTextAnswer(context: Context, text: string): Response {
  const etag = tagOf(text);
  const caching = 'no-cache';
  if (matches(context.req.header('if-none-match'), etag))
    return context.body(null, 304, { etag, 'cache-control': caching });
  return usualAnswer(text, jsonType, caching, etag);
}

/** Text of the last answer: the details of a run that is over are the same for every client. */
let latest = { text: '', tag: newTag('') };

function tagOf(text: string): string {
  if (latest.text !== text) latest = { text, tag: newTag(text) };
  return latest.tag;
}

function newTag(body: string | Uint8Array<ArrayBuffer>): string {
  return `"${hash('sha1', body, 'base64url')}"`;
}

/**
 * Answer with a text of authors, tools or models: as plain text, so that a browser does not guess its type.
 */
export function plainTextAnswer(
  context: Context,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return context.body(text, 200, { 'content-type': 'text/plain; charset=utf-8', ...headers });
}

/** Answer with binary data as a download, which browsers do not display. */
export function downloadAnswer(context: Context, bytes: Uint8Array<ArrayBuffer>, name: string): Response {
  const plain = name.replaceAll(/[^\w.-]/g, '_');
  return context.body(bytes, 200, {
    'content-type': 'application/octet-stream',
    'content-disposition': `attachment; filename="${plain}"`,
  });
}

/** An answer that the client keeps and asks about again: the same content is sent once. */
export function validatedAnswer(
  context: Context,
  body: string | Uint8Array<ArrayBuffer>,
  type: string,
  caching: string,
  others: Readonly<Record<string, string>> = {},
): Response {
  const tag = newTag(body);
  const headers = { etag: tag, 'cache-control': caching, ...others };
  if (matches(context.req.header('if-none-match'), tag)) return context.body(null, 304, headers);
  return context.body(body, 200, { 'content-type': type, ...headers });
}

/** Compares tags for GET as in RFC 9110: a proxy may have made the tag a weak one. */
function matches(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  return header.split(',').some((one) => one.trim() === '*' || one.trim().replace(/^W\//, '') === tag);
}
