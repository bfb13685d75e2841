import type { Context } from 'hono';

/** Part of a request that Node's server passes on. */
interface Bindings {
  readonly incoming?: { readonly socket?: { readonly remoteAddress?: string } };
}

/** Address of a client according to the connection; headers could be forged. */
export function clientAddress(c: Context): string {
  return (c.env as Bindings | undefined)?.incoming?.socket?.remoteAddress ?? 'local';
}
