import { distance } from 'fastest-levenshtein';

/**
 * Candidate nearest to a misspelt word, or undefined if none is near enough for a typing mistake.
 * @param tolerance fraction of the letters that may be wrong
 */
export function nearestName(word: string, candidates: Iterable<string>, tolerance = 0.4): string | undefined {
  // In a word of one letter, one mistake leaves nothing right.
  const limit = word.length === 1 ? 0 : Math.max(1, Math.floor(word.length * tolerance));
  let nearest: string | undefined;
  let nearestDistance = limit + 1;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - word.length) > limit) continue;
    const candidateDistance = typingDistance(word.toLowerCase(), candidate.toLowerCase());
    if (candidateDistance < nearestDistance) {
      nearest = candidate;
      nearestDistance = candidateDistance;
    }
  }
  return nearest;
}

/** The edit distance, with two neighbouring letters in the wrong order as one mistake. */
function typingDistance(word: string, candidate: string): number {
  if (word.length !== candidate.length) return distance(word, candidate);
  let first = 0;
  while (first < word.length && word[first] === candidate[first]) first += 1;
  const swapped = `${candidate.slice(0, first)}${candidate[first + 1] ?? ''}${candidate[first] ?? ''}${candidate.slice(first + 2)}`;
  return swapped === word && word !== candidate ? 1 : distance(word, candidate);
}

/** ` (did you mean "x"?)` or an empty string, to append to a message. */
export function didYouMean(word: string, candidates: Iterable<string>): string {
  const nearest = nearestName(word, candidates);
  return nearest === undefined ? '' : ` (did you mean "${nearest}"?)`;
}
