import path from 'node:path';
import type { Variables } from '../secrets/find-secrets.js';

/**
 * Path of a file that a user keeps for all pipelines: in `$XDG_CONFIG_HOME/attractor`, by default `~/.config/attractor`;
 * undefined for a user without a home.
 */
export function userFile(
  name: string,
  { XDG_CONFIG_HOME: configuration = '', HOME: home = '' }: Variables,
): string | undefined {
  if (path.isAbsolute(configuration)) return path.join(configuration, 'attractor', name);
  return home === '' ? undefined : path.join(home, '.config', 'attractor', name);
}
