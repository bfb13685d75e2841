/** What Node's server is made with, so that clients that are slow on purpose hold nothing for long (`http.createServer`). */
export const httpServerOptions = {
  /** How long the headers of a request may take; where a machine is busy, also how long they may lie there before they are read. */
  headersTimeout: 30_000,
  /** How long a whole request may take to come in; `bodyTimeoutMs` answers better, and before it. */
  requestTimeout: 60_000,
  /** How long a connection that asks nothing more is kept. */
  keepAliveTimeout: 5_000,
  /** How often the three are looked after. */
  connectionsCheckingInterval: 2_000,
  maxHeaderSize: 16 * 1024,
  requireHostHeader: true,
  insecureHTTPParser: false,
} as const;

/** Most connections at once (`limitConnections`): every stream of events has one. */
export const maxConnections = 2_000;

/** How long the body of a request may take to come in. */
export const bodyTimeoutMs = 20_000;

/** How many requests may come at once, in seconds of what is allowed on average. */
export const burstSeconds = 5;

/** How many wrong tokens a client may send at once, and how many more in a second. */
export const wrongTokens = { atOnce: 10, perSecond: 0.2 } as const;
