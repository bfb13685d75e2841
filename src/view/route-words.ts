/** Reasons of routing (§3.3) for people. */
const words: ReadonlyMap<string, string> = new Map([
  ['condition', 'its condition holds'],
  ['preferred_label', 'its label was chosen'],
  ['suggested_next_ids', 'the stage suggested it'],
  ['weight', 'no other edge takes precedence'],
  ['failure_to_conditional', 'a diamond decides on the failure'],
  ['retry_target', 'it is the retry target of the failure'],
  ['fallback_retry_target', 'it is the fallback retry target of the failure'],
  ['goal_gate', 'a goal gate is not satisfied'],
  ['join', 'the branches meet there'],
]);

/** Reason for which control went to the next stage, as a clause; a reason unknown to this version stays as it is. */
export function routeWords(reason: string): string {
  return words.get(reason) ?? reason.replaceAll('_', ' ');
}
