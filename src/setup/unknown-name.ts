import { didYouMean } from '../diagnostic/did-you-mean.js';
import { UsageError } from './usage-error.js';

/** Refuses the name of something that plugs in, where nothing has it. */
export function unknownName(what: string, name: string, known: readonly string[]): UsageError {
  return new UsageError(
    `there is no ${what} "${name}"${didYouMean(name, known)}. There are: ${known.join(', ')}; plugins bring others`,
  );
}
