import { keysOf } from '../graph/evaluate-condition.js';
import type { Graph } from '../graph/graph.js';
import { handlerTypeNamed } from '../graph/handler-types.js';
import { perObject } from '../graph/per-object.js';
import { conditionOf } from '../graph/queries.js';
import { contextKey } from '../graph/values/key-lists.js';
import { writtenKeys } from '../graph/values/written-keys.js';
import type { Condition } from '../parser/condition/ast.js';
import { clausesOf } from '../parser/condition/clauses-of.js';
import { writingNodes } from './analysis/context-writes.js';
import { impossibleKey } from './analysis/impossible-key.js';
import { attributeOwners } from './attribute-owners.js';
import { keyMeantInCondition } from './key-meant.js';
import { misspelt } from './misspelt.js';
import { strayOutcomes } from './stray-outcomes.js';

/**
 * Nodes whose routes cannot be judged before something else is corrected: a key, a word or a context key in
 * the condition of an edge is misspelt, which `attribute_known`, `outcome_known` and `read_before_write`
 * report.
 */
export const routingInDoubt = perObject((graph: Graph): ReadonlySet<string> => {
  const sources = new Set(misspelt(graph).sources);
  const isInDoubt = conditionTest(graph);
  const verdicts = new Map<Condition, boolean>();
  for (const edge of attributeOwners(graph).edgesWith('condition')) {
    const { condition } = conditionOf(edge);
    if (condition === undefined) continue;
    const verdict = verdicts.get(condition) ?? isInDoubt(condition);
    verdicts.set(condition, verdict);
    if (verdict) sources.add(edge.from);
  }
  return sources;
});

function conditionTest(graph: Graph): (condition: Condition) => boolean {
  const { nodesWith } = attributeOwners(graph);
  const isCustom = (type: unknown): boolean => handlerTypeNamed(String(type ?? '')) === undefined;
  // The writes of a custom handler are unknown.
  const mayBeSet = nodesWith('type').some(({ attributes }) => isCustom(attributes.get('type')?.value));
  const written = new Set<string>();
  for (const node of writingNodes(graph)) {
    for (const { key } of writtenKeys(node)) written.add(key);
  }
  const isMisspelt = (clause: ReturnType<typeof clausesOf>[number]): boolean =>
    keysOf(clause).some(({ path }) => {
      const key = contextKey(path);
      if (path === 'outcome' || path === 'preferred_label' || written.has(key)) return false;
      return keyMeantInCondition({ path, key, clause }) !== undefined;
    });
  const isImpossible = (clause: ReturnType<typeof clausesOf>[number]): boolean =>
    keysOf(clause).some(({ path }) => impossibleKey(graph, path) !== undefined);
  return (condition) =>
    strayOutcomes(condition).length > 0 ||
    clausesOf(condition).some((clause) => isImpossible(clause) || (!mayBeSet && isMisspelt(clause)));
}
