import { isWorkingDirectoryUndecodable, undecodableArguments } from '../run-directory/undecodable-names.js';
import { UsageError } from '../setup/usage-error.js';

/**
 * Refuses a call whose working directory or arguments are not UTF-8: its paths would lead nowhere, or to other files.
 * @throws UsageError
 */
export function refuseUndecodable(): void {
  if (isWorkingDirectoryUndecodable()) {
    throw new UsageError(
      `the path of the working directory is not UTF-8: ${process.cwd()}; its files cannot be reached from here. Rename it, or work in another directory`,
    );
  }
  const [first] = undecodableArguments();
  if (first !== undefined) {
    throw new UsageError(
      `the argument "${first}" is not UTF-8, so that it could name another file; rename the file, or write the argument in UTF-8`,
    );
  }
}
