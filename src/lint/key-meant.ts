import { nearestName } from '../diagnostic/did-you-mean.js';
import { stageStatuses } from '../graph/stage-status.js';
import type { Clause } from '../parser/condition/print.js';
import { handlerKeys } from './analysis/context-writes.js';
import { statusMeant } from './status-meant.js';

/** A key of the context that nobody sets, as a text asks for it. */
export interface AskedKey {
  readonly path: string;
  /** Without `context.`. */
  readonly key: string;
}

interface KeyOfCondition extends AskedKey {
  /** The part of the condition that asks. */
  readonly clause: Clause | undefined;
}

/** What §10 calls what a condition asks for: `Outcome`, `contxt.score`, `status=success`, and `success` alone. */
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
  return nearestName(path, ['outcome', 'preferred_label'], 0.2);
}

/** What else authors call the outcome of a stage; what they compare with other words is a key of their own. */
const otherNamesOfOutcome: ReadonlySet<string> = new Set(['status', 'state', 'last_outcome', 'last_status']);

function comparesWithStatus(clause: Clause | undefined): boolean {
  if (clause?.kind !== 'comparison') return false;
  const operands = clause.right.kind === 'list' ? clause.right.items : [clause.right];
  return operands.every((operand) => operand.kind === 'literal' && statusMeant(operand.value) !== undefined);
}

/** `tool.outptu`: what begins like the keys of a handler is one of them. */
export function keyOfHandlerMeant({ path, key }: AskedKey): string | undefined {
  const meant = nearestName(key, handlerKeys, 0.2);
  return meant === undefined || meant === key ? undefined : path.slice(0, -key.length) + meant;
}
