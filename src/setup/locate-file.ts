import path from 'node:path';

/**
 * Path of a file that a call names, relative to the directory of the call. An empty name stays empty, and a
 * trailing slash stays: neither names a file.
 */
export function locateFile(name: string, directory: string): string {
  return name === '' || path.isAbsolute(name) ? name : path.join(directory, name);
}
