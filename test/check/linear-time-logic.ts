import type { Events, Property, StageEvent } from '../../src/parser/property/ast.js';
import { statuses } from '../lint/flow/reference.js';

// What docs/properties.md says in linear temporal logic, for the observations of the Promela model (test/lint/flow/promela.ts):
// SPIN makes its own automata of it. An observation is a moment with `seen` above 0, and between two of them `seen` is 0.

const moment = '(seen != 0)';

/**
 * Formula that holds in the runs that keep a property.
 * @param ids nodes by their number in the model; the last one is the exit, which `any stage` does not mean
 */
export function formulaOf(property: Property, ids: readonly string[]): string {
  const begins = (events: Events) => anyOf(events.map((event) => observed(event, 1, ids)));
  const ends = (events: Events) => anyOf(events.map((event) => observed(event, 2, ids)));
  switch (property.kind) {
    case 'precedence': {
      const { events, required, since } = property;
      const guarded = events === 'completion' ? '(seen == 3)' : begins(events);
      const granted = ends(required);
      const untilGranted = `(!${guarded} W (${granted} && !${guarded}))`;
      if (since === undefined) return untilGranted;
      const again = `[] ((${begins(since)} && !${granted}) -> ${afterwards('W', untilGranted)})`;
      return `${untilGranted} && ${again}`;
    }
    case 'response': {
      const { trigger, required, before } = property;
      const due = before === 'completion' ? '(seen == 3)' : begins(before);
      return `[] (${begins(trigger)} -> ${afterwards('W', `(!${due} W (${ends(required)} && !${due}))`)})`;
    }
    case 'bound': {
      const { limit, counted, after, before } = property;
      const isOpen = before === undefined ? 'true' : `!${ends(before)}`;
      let tooMany = `(${isOpen} U ${begins(counted)})`;
      for (let more = 0; more < limit; more += 1)
        tooMany = `(${isOpen} U (${begins(counted)} && ${isOpen} && ${afterwards('U', tooMany)}))`;
      return after === undefined ? `!${tooMany}` : `!<> (${begins(after)} && ${afterwards('U', tooMany)})`;
    }
  }
}

/** What holds from the end of this moment on. */
function afterwards(until: 'U' | 'W', formula: string): string {
  return `(${moment} ${until} (!${moment} && ${formula}))`;
}

function anyOf(alternatives: readonly string[]): string {
  return `(${alternatives.join(' || ')})`;
}

function observed({ stages, result }: StageEvent, role: 1 | 2, ids: readonly string[]): string {
  const isThere =
    stages.kind === 'named' ? `at == ${ids.indexOf(stages.name.text)}` : `at < ${ids.length - 1}`;
  if (result === undefined) return `(seen == ${role} && ${isThere})`;
  const words: Readonly<Record<string, readonly string[]>> = {
    passed: ['success', 'partial_success'],
    failed: ['fail'],
  };
  const meant = result.kind === 'word' ? [result.word.text] : (words[result.kind] ?? []);
  const numbers = statuses.flatMap((status, index) => (meant.includes(status) ? [`came == ${index}`] : []));
  return `(seen == 2 && ${isThere} && ${numbers.length === 0 ? 'false' : anyOf(numbers)})`;
}
