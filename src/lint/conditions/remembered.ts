import { perObject } from '../../graph/per-object.js';
import type { ConditionSet } from './condition-set.js';

type Question<Answer> = (set: ConditionSet, outcomes: ReadonlySet<string>) => Answer;

/**
 * A question about a set of conditions after certain outcomes, that is answered once for all nodes with the same: most of a
 * pipeline's nodes have the conditions of another one.
 */
export function remembered<Answer>(ask: Question<Answer>): Question<Answer> {
  const knownOf = perObject((_: ConditionSet) => new Map<string, { readonly answer: Answer }>());
  return (set, outcomes) => {
    const answers = knownOf(set);
    let name = '';
    for (const outcome of outcomes) name += `${outcome.length}:${outcome}`;
    const found = answers.get(name) ?? { answer: ask(set, outcomes) };
    answers.set(name, found);
    return found.answer;
  };
}
