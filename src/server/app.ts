import { Hono, type MiddlewareHandler } from 'hono';
import { observe } from './http/observe.js';
import { problemAnswer } from './http/problem-answer.js';
import { concernsRuns, type Route } from './http/route.js';
import { ProblemError } from './problem-error.js';
import { routes } from './routes/index.js';
import type { RunPart } from './runs/run-registry.js';
import { tokenNameOf } from './security/require-token.js';
import type { PartsFor, ServerParts } from './server-parts.js';

/**
 * The HTTP API and the page (§9.5) as a function from requests to answers, without a socket.
 * @param security what stands before every route, in its order
 * @param partsFor parts for the sender of a request; by default the same for all
 */
export function createApp(
  server: ServerParts,
  security: readonly MiddlewareHandler[],
  partsFor: PartsFor = () => server,
): Hono {
  const app = new Hono();
  app.use(observe(server.metrics, server.log, () => performance.now(), isQuiet));
  for (const middleware of security) app.use(middleware);
  app.onError((error, context) => problemAnswer(context, error, server.log));
  for (const route of routes) {
    app.on(route.method.toUpperCase(), honoPath(route.path), async (context) => {
      const parts = concernsRuns(route) ? await partsFor(tokenNameOf(context)) : server;
      const id = context.req.param('id');
      if (id !== undefined) await parts.registry.fetch(id, partOf(route));
      return route.handle(context, parts);
    });
  }
  for (const [path, methods] of methodsByPath(routes)) {
    app.all(honoPath(path), (context) => {
      const allow = [...methods, 'OPTIONS'].join(', ');
      context.header('allow', allow);
      if (context.req.method === 'OPTIONS') return context.body(null, 204);
      const message = `${context.req.method} is not allowed here; allowed: ${allow}`;
      return problemAnswer(context, new ProblemError('method_not_allowed', message), server.log);
    });
  }
  app.notFound((context) => {
    const message = `nothing found at ${context.req.path}; /docs shows what there is`;
    return problemAnswer(context, new ProblemError('not_found', message), server.log);
  });
  return app;
}

/** Part of a run that an operation looks at. */
function partOf({ tag }: Route): RunPart {
  return tag === 'history' ? 'files' : 'history';
}

/** True for the frequent requests of the page and of monitors, which would drown the rest of the log. */
function isQuiet(method: string, route: string): boolean {
  return (
    method === 'GET' &&
    ['/health', '/metrics', '/assets/{name}', '/pipelines', '/pipelines/{id}', '/workers'].includes(route)
  );
}

/** `{id}` as the router writes it; the path of a file is all that is left of the address. */
function honoPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => (name === 'path' ? ':path{.+}' : `:${name}`));
}

/** Methods by path; HEAD is the same as GET, without the body. */
function methodsByPath(all: readonly Route[]): ReadonlyMap<string, readonly string[]> {
  const byPath = new Map<string, string[]>();
  for (const { path, method } of all) {
    const methods = method === 'get' ? ['GET', 'HEAD'] : ['POST'];
    byPath.set(path, [...(byPath.get(path) ?? []), ...methods]);
  }
  return byPath;
}
