import type { ServerOptions } from '../server-options.js';
import { isLoopback } from './check-binding.js';
import { allowedNames } from './check-host.js';

type Binding = Pick<ServerOptions, 'host' | 'allowedHosts'>;

/**
 * Host name in the link to a server (§9.5): one of its own names. A server that other machines reach uses
 * an allowed name, even if it listens at all of its addresses.
 */
export function linkName({ host, allowedHosts }: Binding): string {
  const [allowed] = allowedNames(isLoopback(host) ? [host] : allowedHosts);
  return allowed ?? '127.0.0.1';
}

/** All names that it is known by, besides those that every machine calls itself: the address of this machine that it was given too. */
export function knownNames({ host, allowedHosts }: Binding): readonly string[] {
  return isLoopback(host) ? [...allowedHosts, host] : allowedHosts;
}
