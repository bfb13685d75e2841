import { ProblemError } from '../problem-error.js';
import type { Guard } from './guard.js';

/** Names of any machine for itself. */
const loopbackNames: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Refuses requests to another host than the names of this server (§9.5): a foreign page whose name was made
 * to lead here (DNS rebinding) has such a host. The port is ignored, because tunnels have other ports.
 * @param names besides those of loopback
 */
export function checkHost(names: readonly string[]): Guard {
  const allowed = new Set([...loopbackNames, ...allowedNames(names)]);
  return (c) => {
    const ofUrl = /^https?:\/\/([^/?#]*)/i.exec(c.req.url)?.[1] ?? '';
    const host = c.req.header('host') ?? ofUrl;
    if (!allowed.has(hostName(host))) throw foreign(host);
    // The line of a request may name another one than its header.
    if (ofUrl !== host && !allowed.has(hostName(ofUrl))) throw foreign(ofUrl);
    return undefined;
  };
}

/** Names of a server besides those of any machine; invalid ones are left out. */
export function allowedNames(names: readonly string[]): readonly string[] {
  return names.map(normalHost).filter((name) => name !== '');
}

/** The name without its port, as it is compared; nothing where it cannot be read. */
function hostName(host: string): string {
  return /^(\[[0-9a-f:.]+\]|[\w.-]+)(?::\d+)?$/i.exec(host)?.[1]?.toLowerCase() ?? '';
}

/** Name in the form for comparison, from one with a port, or an address of version 6 without its brackets. */
function normalHost(name: string): string {
  return hostName(name) || hostName(`[${name}]`);
}

function foreign(host: string): ProblemError {
  return new ProblemError(
    'forbidden_host',
    `the request is addressed to the host "${host.slice(0, 200)}", which this server does not accept; use the address that it printed, or start it with --allow-host NAME`,
  );
}
