import type { JsonValue } from '../json.js';
import type { StageStatus } from '../stage-status.js';
import { cutMark } from './cut-mark.js';
import type { FileReference } from './file-reference.js';
import { everyMember, isIndex, isList, isPresent, walk } from './walk.js';

/** Stage as a line of control sees it (SEMANTICS 104). */
export interface SeenStage {
  /** Begun visits in the line, the running one included. */
  readonly visits: number;
  /** Latest settled visit; undefined until one has settled. */
  readonly settled: SettledVisit | undefined;
}

export interface SettledVisit {
  /** Outcome of the stage; of a diamond, the one that it passed on. */
  readonly outcome: SaidOutcome;
  readonly retries: number;
}

/** Part of an outcome that later stages read by the name of the stage, or as `result.`. */
export interface SaidOutcome {
  readonly status: StageStatus;
  readonly custom_outcome?: string;
  readonly preferred_label?: string;
  readonly notes?: string;
  readonly failure_reason?: string;
  readonly failure_category?: string;
  readonly context_updates?: Readonly<Record<string, JsonValue>>;
  readonly assigned?: Readonly<Record<string, JsonValue>>;
  readonly response?: FileReference;
  readonly output?: FileReference;
}

/** Stages that a branch or the main line sees: its own, and those before the fork where it began. */
export interface SeenStages {
  /** @param branch index in `parallel.results`, for a stage of a branch that has joined */
  get(id: string, branch?: number): SeenStage | undefined;
  /** Value in place of a reference to it, where it can be read. */
  whole?(value: JsonValue): JsonValue;
}

/** Names of the fields that `stages.<id>.` has. */
export const stageValueNames = [
  'response',
  'output',
  'outcome',
  'success',
  'notes',
  'failure_reason',
  'failure_category',
  'preferred_label',
  'json',
  'text',
  'visits',
  'retries',
] as const;

type StageValueName = (typeof stageValueNames)[number];

/** Path to a value of a stage. */
export interface StagePath {
  readonly id: string;
  /** Undefined if the path only names the stage. */
  readonly field: string | undefined;
  /** Path into the value of the field. */
  readonly way: readonly string[];
  /** Index or `*` in `parallel.results.<branch>.stages.<id>`; undefined for `stages.<id>`. */
  readonly branch: string | undefined;
}

const stagePath = /^(?:context\.|state\.)?(?:parallel\.results\.(\*|[0-9]+)\.)?stages\.([^.]+)(?:\.(.+))?$/;

/** Path of a key that begins with `stages.` or `parallel.results.<branch>.stages.`; undefined for any other key. */
export function stagePathOf(key: string): StagePath | undefined {
  if (!key.includes('stages.')) return undefined;
  const [, branch, id, rest] = stagePath.exec(key) ?? [];
  if (id === undefined) return undefined;
  const [field, ...segments] = rest?.split('.') ?? [];
  return { id, field, way: segments, branch };
}

/**
 * Value of a stage, or of the same stage in several branches (SEMANTICS 104).
 * @param results value of `parallel.results`
 */
export function stageValue(
  { id, field, way: segments, branch }: StagePath,
  stages: SeenStages,
  results: () => JsonValue | undefined,
): JsonValue | undefined {
  const valueIn = (stage: SeenStage | undefined): JsonValue | undefined => {
    const value = fieldOf(stage, field);
    return walk(value === undefined ? undefined : (stages.whole?.(value) ?? value), segments);
  };
  if (branch === undefined) return valueIn(stages.get(id));
  const list = results() ?? null;
  if (list === null || !isList(list)) return undefined;
  const ofBranch = (index: number): JsonValue | undefined =>
    index < list.length ? valueIn(stages.get(id, index)) : undefined;
  if (branch === everyMember) return list.map((_, index) => ofBranch(index) ?? null);
  return isIndex(branch) ? ofBranch(Number(branch)) : undefined;
}

/** A missing field of a settled visit is `null`; before the first one, only the visits are known. */
function fieldOf(stage: SeenStage | undefined, field: string | undefined): JsonValue | undefined {
  if (field === 'visits') return stage?.visits ?? 0;
  const settled = stage?.settled;
  if (settled === undefined) return undefined;
  const name = stageValueNames.find((one) => one === field);
  return name && (saidValue(settled, name) ?? null);
}

function saidValue({ outcome, retries }: SettledVisit, name: StageValueName): JsonValue | undefined {
  switch (name) {
    case 'outcome':
      return outcome.custom_outcome ?? outcome.status;
    case 'success':
      return outcome.status !== 'fail' && outcome.status !== 'retry';
    case 'notes':
    case 'failure_reason':
    case 'failure_category':
    case 'preferred_label':
      return outcome[name];
    case 'response':
      return outcome.response;
    case 'output':
      return outcome.output ?? wholeOutput(outcome);
    case 'json':
      return outcome.context_updates?.['tool.json'];
    case 'text':
      return outcome.context_updates?.['human.gate.text'];
    case 'retries':
      return retries;
    case 'visits':
      return undefined;
  }
}

/** Fields that are whole files, which the pure machine cannot read. */
const fileFields: readonly (string | undefined)[] = ['response', 'output'];

/** True for a path to the whole answer or the whole output of a stage. */
export function readsFile({ field }: StagePath): boolean {
  return fileFields.includes(field);
}

/** Output of a tool that left no file: of one that printed nothing, or that a script stood in for. */
function wholeOutput({ context_updates: updates = {} }: SaidOutcome): JsonValue | undefined {
  return isPresent(updates[cutMark('tool.output')]) ? undefined : updates['tool.output'];
}
