import { perObject } from '../../graph/per-object.js';
import type { ConditionSet } from './condition-set.js';

type Question<Answer> = (set: ConditionSet, outcomes: ReadonlySet<string>) => Answer;

/**
 * Caches a question about a set of conditions after certain outcomes: most of a pipeline's nodes share
 * their conditions with another one.
 */
export function remembered<Answer>(ask: Question<Answer>): Question<Answer> {
  const knownOf = perObject((_: ConditionSet) => new Map<string, { readonly answer: Answer }>());
  return (set, outcomes) => {
    const answers = knownOf(set);
    let name = '';
    for (const outcome of outcomes) name += `${outcome.length}:${outcome}`;
    const cached = answers.get(name) ?? { answer: ask(set, outcomes) };
    answers.set(name, cached);
    return cached.answer;
  };
}
