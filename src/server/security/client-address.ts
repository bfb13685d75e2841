import type { Context } from 'hono';

/** What the server of Node hands on with a request. */
interface Bindings {
  readonly incoming?: { readonly socket?: { readonly remoteAddress?: string } };
}

/** Who sends a request, as far as the connection says; headers could say anything. */
export function clientAddress(c: Context): string {
  return (c.env as Bindings | undefined)?.incoming?.socket?.remoteAddress ?? 'local';
}
