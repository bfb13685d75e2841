import { nearestName } from '../diagnostic/did-you-mean.js';

const maximumComparisons = 500_000;
const longestWord = 200;

/**
 * Suggests names of a fixed set. It caches its answers, and stops guessing after a bounded number of
 * comparisons, so that a file in which everything is misspelt still takes linear time.
 * @param tolerance fraction of the letters that may be wrong
 */
export function nameSuggester(
  candidates: Iterable<string>,
  tolerance?: number,
): (word: string) => string | undefined {
  let names: readonly string[] | undefined;
  const answers = new Map<string, string | undefined>();
  let comparisons = 0;
  return (word) => {
    if (answers.has(word)) return answers.get(word);
    if (word.length > longestWord || comparisons > maximumComparisons) return undefined;
    names ??= [...candidates].filter((name) => name.length <= longestWord);
    comparisons += names.length;
    const answer = nearestName(word, names, tolerance);
    answers.set(word, answer);
    return answer;
  };
}
