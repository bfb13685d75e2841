import type { JournalDigest } from '../../view/journal-digest.js';

/**
 * Whether a run does nothing but wait for people (§6.4): whatever is under way in it asks. A stage that has started a run is under
 * way itself, whatever that one waits for.
 */
export function waitsForPeople({ stages, questions, parallels }: JournalDigest): boolean {
  if (questions.length === 0) return false;
  const isIdle = stages.every(({ state }) => state === 'asking' || state === 'branches');
  if (!isIdle) return false;
  // A branch between two of its stages is at none, and goes on at once.
  const places = new Set(stages.map(({ branch }) => branch));
  return parallels.every(({ branches }) =>
    branches.every(({ branch, state }) => state !== 'running' || places.has(branch)),
  );
}
