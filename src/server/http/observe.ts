import type { MiddlewareHandler } from 'hono';
import { routePath } from 'hono/route';
import type { Log } from '../../telemetry/log.js';
import type { Metrics } from '../../telemetry/metrics.js';

/** Counts and logs every request by the pattern of its route: what clients choose, and the token, is in neither. */
export function observe(
  metrics: Metrics,
  log: Log,
  now: () => number,
  isQuiet: (method: string, route: string) => boolean,
): MiddlewareHandler {
  const routes = new Map<string, string>();
  const routeOf = (pattern: string): string => {
    const route = routes.get(pattern) ?? nameOf(pattern);
    routes.set(pattern, route);
    return route;
  };
  return async (context, next) => {
    const begun = now();
    await next();
    const route = routeOf(routePath(context, -1));
    const { method } = context.req;
    const { status } = context.res;
    const milliseconds = now() - begun;
    metrics.onRequest({ method: knownMethod(method), route, status, milliseconds });
    if (status < 500 && isQuiet(method, route)) return;
    const level = status < 400 ? 'info' : status < 500 ? 'warning' : 'error';
    log.write(level, 'request', { method, route, status, ms: Math.round(milliseconds) });
  };
}

/** Route of a request for metrics; unknown paths share one name. */
function nameOf(pattern: string): string {
  if (pattern === '/*' || pattern === '*') return 'none';
  return pattern.replaceAll(/:(\w+)(\{\.\+\})?/g, '{$1}');
}

const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'OPTIONS', 'PUT', 'PATCH', 'DELETE']);

function knownMethod(method: string): string {
  return methods.has(method) ? method : 'other';
}
