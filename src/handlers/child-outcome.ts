import type { JsonValue } from '../graph/json.js';
import { failure, type Outcome } from '../machine/outcome.js';
import type { ChildEnd, ChildResult } from './child-runner.js';
import { type Stage, StageSuspension } from './handler.js';

/** How a child that could not be run, or did not come to its end, settles its stage. */
type Unfinished = Exclude<ChildEnd, { readonly kind: 'ended' }>;

/**
 * The outcome of a stage whose child did not run to its end.
 * @throws StageSuspension where the child waits: the stage waits with it
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
  }
}

/** A failure that only a change of the pipeline can help against (Appendix D). */
export function pipelineFault(reason: string): Outcome {
  return failure(reason, { retryable: false, failure_category: 'pipeline' });
}

/** Why a child did not succeed, in a sentence that names it. */
export function failureOfChild(file: string, result: ChildResult): string {
  if (result.status === 'cancelled') return `the pipeline ${file} was cancelled`;
  const place = result.failed_node === undefined ? '' : ` at "${result.failed_node}"`;
  return `the pipeline ${file} failed${place}: ${result.failure_reason ?? 'it gave no reason'}`;
}

/** Keys that the engine sets in every run, and with which a child tells nothing. */
const engineKeys: ReadonlySet<string> = new Set(['outcome', 'preferred_label', 'current_node']);
const enginePrefixes = ['graph.', 'inputs.', 'internal.'] as const;

/**
 * The context of a child as updates for its parent: `<prefix>.<key>` for every key that the stages of the child have set.
 * What an earlier child left under the prefix and this one did not set becomes null, so that it is not taken for this
 * one's.
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
