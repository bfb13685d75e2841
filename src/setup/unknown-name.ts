import { didYouMean } from '../diagnostic/did-you-mean.js';
import { UsageError } from './usage-error.js';

/** Error for an unknown name of an extension. */
export function unknownName(what: string, name: string, known: readonly string[]): UsageError {
  return new UsageError(
    `there is no ${what} "${name}"${didYouMean(name, known)}. Available: ${known.join(', ')}; plugins can add others`,
  );
}
