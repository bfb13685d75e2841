import { isInstalled } from '../backends/find-program.js';

/**
 * Looks each program up once, as the shell that runs tools does; undefined on Windows, where names have endings that the shell adds.
 * @param searchPath the PATH of the tools
 * @param directory against which relative parts of it count
 */
export function installedPrograms(
  searchPath: string | undefined,
  directory: string,
): ((program: string) => boolean) | undefined {
  if (process.platform === 'win32') return undefined;
  const known = new Map<string, boolean>();
  return (program) => {
    const found = known.get(program) ?? isInstalled(program, directory, searchPath);
    known.set(program, found);
    return found;
  };
}
