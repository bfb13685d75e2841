import path from 'node:path';

/**
 * The file that a call names, seen from the directory of the call.
 * An empty name stays empty, and a slash at the end stays there: neither names a file.
 */
export function locateFile(name: string, directory: string): string {
  return name === '' || path.isAbsolute(name) ? name : path.join(directory, name);
}
