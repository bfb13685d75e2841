/** Options of Node's server that limit deliberately slow clients (`http.createServer`). */
export const httpServerOptions = {
  /**
   * Milliseconds for the headers of a request; on a busy machine they include the wait until they are read.
   */
  headersTimeout: 30_000,
  /** Milliseconds for a whole request; `bodyTimeoutMs` answers better, and earlier. */
  requestTimeout: 60_000,
  /** Milliseconds for which an idle connection is kept. */
  keepAliveTimeout: 5_000,
  /** Interval of the checks for these three. */
  connectionsCheckingInterval: 2_000,
  maxHeaderSize: 16 * 1024,
  requireHostHeader: true,
  insecureHTTPParser: false,
} as const;

/** Most connections at once (`limitConnections`): every stream of events has one. */
export const maxConnections = 2_000;

/** Milliseconds for the body of a request. */
export const bodyTimeoutMs = 20_000;

/** Burst of requests, in seconds of the average rate. */
export const burstSeconds = 5;

/** Number of wrong tokens that a client may send at once, and more per second. */
export const wrongTokens = { atOnce: 10, perSecond: 0.2 } as const;
