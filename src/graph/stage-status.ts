/** Statuses of a stage (§5.2), as status files, scripts and conditions write them. */
export const stageStatuses = ['success', 'partial_success', 'retry', 'fail', 'skipped'] as const;

export type StageStatus = (typeof stageStatuses)[number];

/** Words of other tools that a status file may use instead (SEMANTICS 44g). */
export const statusAliases: ReadonlyMap<string, StageStatus> = new Map([
  ['succeeded', 'success'],
  ['failed', 'fail'],
  ['error', 'fail'],
  ['partially_succeeded', 'partial_success'],
]);
