import { isIP } from 'node:net';
import { UsageError } from '../../setup/usage-error.js';
import type { ServerOptions } from '../server-options.js';
import { allowedNames } from './check-host.js';

/**
 * Checks that a server which other machines can reach has allowed host names (§9.5), so that nobody opens
 * it by mistake.
 * @throws UsageError
 */
export function checkBinding({ host, allowedHosts }: Pick<ServerOptions, 'host' | 'allowedHosts'>): void {
  const wrong = allowedHosts.find((name) => allowedNames([name]).length === 0);
  if (wrong !== undefined) {
    throw new UsageError(
      `--allow-host ${JSON.stringify(wrong)} is not a host name; expected --allow-host NAME, such as build.example.org or 192.0.2.1`,
    );
  }
  if (isLoopback(host) || allowedHosts.length > 0) return;
  throw new UsageError(
    `--host ${host} lets other machines reach the server, without encryption; if that is intended, add the name that they use: --allow-host NAME. Otherwise omit --host and use a tunnel: ssh -L`,
  );
}

/** True if only this machine can reach the address. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase();
  if (name === 'localhost' || name === '::1') return true;
  return isIP(name) === 4 && name.startsWith('127.');
}
