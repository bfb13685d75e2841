import { Hono } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { ProblemError, problemStatus } from '../../../src/server/problem-error.js';
import { type SecurityOptions, securityMiddlewares } from '../../../src/server/security/security.js';
import { newToken } from '../../../src/server/security/server-token.js';

export const token = newToken();
const origin = 'http://127.0.0.1:8421';

/** What stands before the routes of a server, before two routes that say what came through. */
export function smallServer(setting: Partial<SecurityOptions> = {}) {
  const app = new Hono();
  const middlewares = securityMiddlewares({
    token,
    port: () => 8421,
    now: () => 0,
    allowedHosts: [],
    maxBodyBytes: 1000,
    requestsPerSecond: 1000,
    ...setting,
  });
  for (const middleware of middlewares) app.use(middleware);
  app.onError((error, c) => {
    if (!(error instanceof ProblemError)) throw error;
    const { code, message, retryAfter } = error;
    if (retryAfter !== undefined) c.header('Retry-After', String(retryAfter));
    return c.json({ error: { code, message } }, problemStatus[code] as ContentfulStatusCode);
  });
  app.get('/health', (c) => c.json({ status: 'ok' }));
  app.get('/runs', (c) => c.json({ runs: [] }));
  app.get('/bare', () => new Response('made by itself'));
  app.post('/runs', async (c) => c.text(`got ${(await c.req.text()).length}`));
  return app;
}

export type SmallServer = ReturnType<typeof smallServer>;

/** Sends a request as somebody with the token would, but for what is said. */
export function send(
  app: SmallServer,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  init: RequestInit & { readonly duplex?: 'half' } = {},
): Promise<Response> {
  const all = { host: '127.0.0.1:8421', authorization: `Bearer ${token}`, ...headers };
  const given = Object.entries(all).filter(([, value]) => value !== '');
  return Promise.resolve(app.request(`${origin}${path}`, { ...init, headers: Object.fromEntries(given) }));
}

/** The code of a problem, with its status. */
export async function refusalOf(answer: Response): Promise<string> {
  const { error } = (await answer.json()) as { readonly error?: { readonly code: string } };
  return `${answer.status} ${error?.code ?? 'no problem'}`;
}
