import { distance } from 'fastest-levenshtein';

/** The candidate nearest to a misspelt word, or undefined where none is near enough to be a typing mistake. */
export function nearestName(word: string, candidates: Iterable<string>): string | undefined {
  const limit = Math.max(1, Math.floor(word.length * 0.4));
  let nearest: string | undefined;
  let nearestDistance = limit + 1;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - word.length) > limit) continue;
    const candidateDistance = distance(word.toLowerCase(), candidate.toLowerCase());
    if (candidateDistance < nearestDistance) {
      nearest = candidate;
      nearestDistance = candidateDistance;
    }
  }
  return nearest;
}

/** ` (did you mean "x"?)` or an empty string, ready to be put behind a message. */
export function didYouMean(word: string, candidates: Iterable<string>): string {
  const nearest = nearestName(word, candidates);
  return nearest === undefined ? '' : ` (did you mean "${nearest}"?)`;
}
