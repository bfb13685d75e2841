import type { OutgoingHttpHeaders } from 'node:http';
import type { OpenRoute } from './agent-gateway.js';

/** Headers of a connection, not of a message (RFC 9110 §7.6.1). */
const ofConnection = [
  ...['connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'proxy-connection'],
  ...['te', 'trailer', 'transfer-encoding', 'upgrade'],
];

/** Headers that the sender of a message writes itself; it also decides about compression. */
const notOfRequest: ReadonlySet<string> = new Set([
  ...ofConnection,
  ...['host', 'content-length', 'expect', 'accept-encoding'],
]);

/** The reply is passed on uncompressed. */
const notOfReply: ReadonlySet<string> = new Set([...ofConnection, 'content-length', 'content-encoding']);

/** Headers for the server, with the key in place of the token. */
export function headersForServer(
  rawHeaders: readonly string[],
  route: OpenRoute,
): readonly [name: string, value: string][] {
  // What is compressed may wait in a buffer.
  const headers: [string, string][] = [['accept-encoding', 'identity']];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const [name = '', value = ''] = rawHeaders.slice(index, index + 2);
    if (!notOfRequest.has(name.toLowerCase())) headers.push([name, withKey(value, route)]);
  }
  return headers;
}

/** Headers for the agent; one that occurs several times is a list. */
export function headersForAgent(headers: Headers): OutgoingHttpHeaders {
  const rest = [...headers].filter(([name]) => !notOfReply.has(name) && name !== 'set-cookie');
  const cookies = headers.getSetCookie();
  return { ...Object.fromEntries(rest), 'set-cookie': cookies };
}

/** Address of a request at the server; undefined for a path that does not belong below it. */
export function addressAtServer(path: string, route: OpenRoute): string | undefined {
  const base = route.upstream.replace(/\/+$/, '');
  const address = `${base}${withKey(path, route)}`;
  if (!path.startsWith('/') || !URL.canParse(address)) return undefined;
  return new URL(address).origin === new URL(base).origin ? address : undefined;
}

function withKey(text: string, { token, key }: OpenRoute): string {
  return text.replaceAll(token, () => key);
}
