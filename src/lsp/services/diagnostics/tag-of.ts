import { readingRules } from '../../../lint/reading-rules.js';
import type { RuleDescription } from '../../../lint/rule.js';
import { builtInRules } from '../../../lint/rules/index.js';

const tags: ReadonlyMap<string, RuleDescription['tag']> = new Map(
  [...builtInRules, ...readingRules].map(({ name, tag }: RuleDescription) => [name, tag]),
);

/** Display of a rule's findings in an editor; undefined for the usual one. */
export function tagOf(rule: string): RuleDescription['tag'] {
  return tags.get(rule);
}
