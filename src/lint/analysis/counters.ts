import type { Comparison, Condition } from '../../parser/condition/ast.js';
import { clausesOf } from '../../parser/condition/clauses-of.js';

/**
 * Pattern of counting: `$((n + 1))`, `((n++))`, `expr $n + 1`, or the number of the visit from the engine
 * (SEMANTICS 59a).
 */
const counting = /\$\(\([^()]*\+\s*\d+\s*\)\)|\(\([^()]*\+[+=]|\bexpr\s[^;|&\n]*\+\s*\d|\bATTRACTOR_VISIT\b/;

/** True if a command seems to count its runs: an author who counts rounds bounds a loop (SEMANTICS 34). */
export function countsRounds(command: string): boolean {
  return counting.test(command);
}

const nameOfCount =
  /(?:count|counter|attempts?|rounds?|iterations?|visits?|tries|retries|retry_count\.\w+|cycles?|loops?|turns?)$/i;

/** True if a condition bounds a count by a number: `context.attempts < 3`. */
export function comparesCount(condition: Condition): boolean {
  return clausesOf(condition).some((clause) => clause.kind === 'comparison' && isBound(clause));
}

function isBound({ operator, left, right }: Comparison): boolean {
  const isOrder = operator === '<' || operator === '<=' || operator === '>' || operator === '>=';
  if (!isOrder) return false;
  return [left, right].some((operand) => operand.kind === 'key' && nameOfCount.test(operand.path));
}
