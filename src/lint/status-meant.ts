import { type StageStatus, stageStatuses, statusAliases } from '../graph/stage-status.js';

const meanings: ReadonlyMap<string, StageStatus> = new Map([
  ...stageStatuses.map((status) => [status, status] as const),
  ...statusAliases,
  ['ok', 'success'],
  ['failure', 'fail'],
]);

/** Status for a word, in any case and in the words of other tools (SEMANTICS 44g). */
export function statusMeant(word: string): StageStatus | undefined {
  return meanings.get(word.toLowerCase());
}
