import { nearestName } from '../diagnostic/did-you-mean.js';
import { stageStatuses } from '../graph/stage-status.js';
import { handlerKeys } from '../graph/values/handler-keys.js';
import type { Clause } from '../parser/condition/print.js';
import { statusMeant } from './status-meant.js';

/** Context key in a text that no stage sets. */
export interface AskedKey {
  readonly path: string;
  /** Key without `context.`. */
  readonly key: string;
}

interface KeyOfCondition extends AskedKey {
  /** Clause of the condition that reads it. */
  readonly clause: Clause | undefined;
}

/**
 * Key of §10 that was meant by one in a condition: `Outcome`, `contxt.score`, `status=success`, and
 * `success` alone.
 */
export function keyMeantInCondition({ path, key, clause }: KeyOfCondition): string | undefined {
  const [first = '', ...rest] = path.split('.');
  if (rest.length > 0) {
    const namespace = nearestName(first, ['context', 'inputs'], 0.2);
    const isMisspelt = namespace !== undefined && namespace !== first;
    return isMisspelt ? [namespace, ...rest].join('.') : keyOfHandlerMeant({ path, key });
  }
  const isAlone = clause?.kind === 'truthy';
  if (isAlone && stageStatuses.some((status) => status === path)) return `outcome=${path}`;
  if (otherNamesOfOutcome.has(path) && comparesWithStatus(clause)) return 'outcome';
  if (path === 'preferred_next_label') return 'preferred_label';
  if (onlyOfResult.has(path)) return `result.${path}`;
  return nearestName(path, ['outcome', 'preferred_label'], 0.2);
}

/**
 * Other names of authors for the outcome of a stage; compared with other words, they are keys of their own.
 */
const otherNamesOfOutcome: ReadonlySet<string> = new Set(['status', 'state', 'last_outcome', 'last_status']);

/** Fields of an outcome that only `result.` has (SEMANTICS 114). */
const onlyOfResult: ReadonlySet<string> = new Set(['failure_category', 'failure_reason']);

function comparesWithStatus(clause: Clause | undefined): boolean {
  if (clause?.kind !== 'comparison') return false;
  const operands = clause.right.kind === 'list' ? clause.right.items : [clause.right];
  return operands.every((operand) => operand.kind === 'literal' && statusMeant(operand.value) !== undefined);
}

/** Names that other tools give to keys of handlers. */
const otherNamesOfKeys: ReadonlyMap<string, string> = new Map([
  ['tool_stdout', 'tool.last_line'],
  ['tool_output', 'tool.output'],
  ['tool_stderr', 'tool.stderr'],
  ['tool_exit_code', 'tool.exit_code'],
]);

/** Key of a handler that was meant: `tool.outptu` begins like one, and `tool_stdout` is another name of one. */
export function keyOfHandlerMeant({ path, key }: AskedKey): string | undefined {
  const suggestion = otherNamesOfKeys.get(key) ?? nearestName(key, handlerKeys, 0.2);
  return suggestion === undefined || suggestion === key ? undefined : path.slice(0, -key.length) + suggestion;
}
