import type { MiddlewareHandler } from 'hono';
import type { ServerOptions } from '../server-options.js';
import { checkContentType } from './check-content-type.js';
import { checkHost } from './check-host.js';
import { checkOrigin } from './check-origin.js';
import { guarded } from './guarded.js';
import { limitRate } from './limit-rate.js';
import { bodyTimeoutMs } from './limits.js';
import { receiveBody } from './receive-body.js';
import { refuseUpgrade } from './refuse-upgrade.js';
import { authentication, requireToken, type TokenOptions } from './require-token.js';
import { securityHeaders } from './security-headers.js';

export interface SecurityOptions
  extends TokenOptions,
    Pick<ServerOptions, 'allowedHosts' | 'maxBodyBytes' | 'requestsPerSecond'> {
  readonly bodyTimeoutMs?: number;
}

/**
 * Middlewares before every route (§9.5), in this order: the target of a request is checked before its
 * sender, and no body is read for a stranger. Each throws a `ProblemError`, which the application turns
 * into an answer.
 */
export function securityMiddlewares(setting: SecurityOptions): readonly MiddlewareHandler[] {
  const sender = authentication(setting);
  const guards = [
    refuseUpgrade,
    checkHost(setting.allowedHosts),
    checkOrigin,
    limitRate(setting, sender),
    requireToken(setting, sender),
    checkContentType,
  ];
  const receive = receiveBody({
    maxBodyBytes: setting.maxBodyBytes,
    timeoutMs: setting.bodyTimeoutMs ?? bodyTimeoutMs,
  });
  return [securityHeaders, guarded(guards, receive)];
}
