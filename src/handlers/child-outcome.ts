import type { JsonValue } from '../graph/json.js';
import { failure, type Outcome } from '../machine/outcome.js';
import type { ChildEnd, ChildResult } from './child-runner.js';
import { type Stage, StageSuspension } from './handler.js';

/** End of a child that could not be run, or did not finish. */
type Unfinished = Exclude<ChildEnd, { readonly kind: 'ended' }>;

/**
 * Outcome of a stage whose child did not finish.
 * @throws StageSuspension if the child waits: the stage waits with it
 */
export function outcomeWithoutEnd(end: Unfinished): Outcome {
  switch (end.kind) {
    case 'paused':
      throw new StageSuspension(end.reason);
    case 'missing':
      if (end.isSimulated)
        return { status: 'success', notes: `[Simulated] there is no pipeline ${end.file} to run` };
      return pipelineFault(`there is no pipeline ${end.file}`);
    case 'refused':
      return pipelineFault(end.reason);
    case 'inputs_refused':
      return failure(end.reason, { retryable: false, failure_category: 'terminal' });
  }
}

/** Failure that only a change of the pipeline can remove (Appendix D). */
export function pipelineFault(reason: string): Outcome {
  return failure(reason, { retryable: false, failure_category: 'pipeline' });
}

/** Sentence about the failure of a child, with its name. */
export function failureOfChild(file: string, result: ChildResult): string {
  if (result.status === 'cancelled') return `the pipeline ${file} was cancelled`;
  const place = result.failed_node === undefined ? '' : ` at "${result.failed_node}"`;
  return `the pipeline ${file} failed${place}: ${result.failure_reason ?? 'it gave no reason'}`;
}

/** Keys that the engine sets in every run, and that therefore say nothing about a child. */
const engineKeys: ReadonlySet<string> = new Set(['outcome', 'preferred_label', 'current_node']);
const enginePrefixes = ['graph.', 'inputs.', 'internal.'] as const;

/**
 * Context of a child as updates for its parent: `<prefix>.<key>` for every key that the stages of the child
 * have set. Keys of an earlier child under the prefix that this one did not set become null, so that they
 * are not taken for its own.
 */
export function contextOfChild(
  { context }: ChildResult,
  prefix: string,
  stage: Pick<Stage, 'context'>,
): Readonly<Record<string, JsonValue>> {
  const updates = new Map<string, JsonValue>();
  for (const key of stage.context.keys()) {
    if (key.startsWith(`${prefix}.`) && stage.context.get(key) !== null) updates.set(key, null);
  }
  const values = new Map(Object.entries(context));
  for (const [key, value] of values) {
    if (isEngines(key) || isUntouchedInput(key, value, values)) continue;
    updates.set(`${prefix}.${key}`, value);
  }
  return Object.fromEntries(updates);
}

function isEngines(key: string): boolean {
  return engineKeys.has(key) || enginePrefixes.some((prefix) => key.startsWith(prefix));
}

function isUntouchedInput(key: string, value: JsonValue, values: ReadonlyMap<string, JsonValue>): boolean {
  const input = values.get(`inputs.${key}`);
  return input !== undefined && JSON.stringify(input) === JSON.stringify(value);
}
