import type { Events, Property } from '../../parser/property/ast.js';
import type { Observation } from './observation.js';
import { type EventMatcher, type Moment, matcherOf, matches, type StageSet } from './stage-events.js';

/** Author of a property: the pipeline, a file next to it, or a configuration, which the pipeline cannot switch off. */
export type PropertyOrigin = 'pipeline' | 'file' | 'configuration';

/** A property with its name. */
export interface NamedProperty {
  readonly name: string;
  /** As it is written. */
  readonly text: string;
  readonly origin: PropertyOrigin;
  readonly property: Property;
}

/** State of a monitor whose property is broken, which no step leaves. */
export const broken = -1;

/**
 * Deterministic automaton that decides after every observation whether a run has broken a property. Its states are whole numbers
 * of at least 0.
 */
export interface Monitor extends Omit<NamedProperty, 'property'> {
  readonly property: Property;
  readonly initial: number;
  /** Next state; `broken` if the observation breaks the property. */
  step(state: number, observation: Observation): number;
  /** Everything that it looks at: other observations leave each state as it is. */
  readonly watched: EventMatcher;
}

type Automaton = Pick<Monitor, 'initial' | 'step'>;

/** Monitor of a property over the stages of a program. */
export function monitorOf({ property, ...named }: NamedProperty, set: StageSet): Monitor {
  const matchers: EventMatcher[] = [];
  const matcher = (events: Events, moment: Moment): EventMatcher => {
    const found = matcherOf(events, moment, set);
    matchers.push(found);
    return found;
  };
  const { initial, step } = automatonOf(property, matcher);
  return {
    ...named,
    property,
    initial,
    step: (state, observation) => (state === broken ? broken : step(state, observation)),
    watched: union(matchers),
  };
}

type Compile = (events: Events, moment: Moment) => EventMatcher;

function automatonOf(property: Property, compile: Compile): Automaton {
  switch (property.kind) {
    case 'bound':
      return boundOf(property, compile);
    case 'precedence':
      return precedenceOf(property, compile);
    case 'response':
      return responseOf(property, compile);
  }
}

type Of<Kind extends Property['kind']> = Extract<Property, { readonly kind: Kind }>;

/** 0 while events do not count, else one more than the number that was counted. */
function boundOf({ limit, counted, after, before }: Of<'bound'>, compile: Compile): Automaton {
  const counts = compile(counted, 'begins');
  const opens = after && compile(after, 'begins');
  const closes = before && compile(before, 'ends');
  return {
    initial: opens === undefined ? 1 : 0,
    step(state, observation) {
      let next = state;
      // An event counts before the same one opens or closes.
      if (next > 0 && matches(counts, observation)) next += 1;
      if (next > limit + 1) return broken;
      if (closes !== undefined && matches(closes, observation)) next = 0;
      if (next === 0 && opens !== undefined && matches(opens, observation)) next = 1;
      return next;
    },
  };
}

/** 1 once the required events have happened, else 0. */
function precedenceOf({ events, required, since }: Of<'precedence'>, compile: Compile): Automaton {
  const guarded = events === 'completion' ? undefined : compile(events, 'begins');
  const grants = compile(required, 'ends');
  const revokes = since && compile(since, 'begins');
  const isGuarded = (observation: Observation): boolean =>
    guarded === undefined ? observation.kind === 'completes' : matches(guarded, observation);
  return {
    initial: 0,
    step(state, observation) {
      if (state === 0 && isGuarded(observation)) return broken;
      if (matches(grants, observation)) return 1;
      return revokes !== undefined && matches(revokes, observation) ? 0 : state;
    },
  };
}

/** 1 while the required events are owed, else 0. */
function responseOf({ trigger, required, before }: Of<'response'>, compile: Compile): Automaton {
  const owes = compile(trigger, 'begins');
  const settles = compile(required, 'ends');
  const deadline = before === 'completion' ? undefined : compile(before, 'begins');
  const isDue = (observation: Observation): boolean =>
    deadline === undefined ? observation.kind === 'completes' : matches(deadline, observation);
  return {
    initial: 0,
    step(state, observation) {
      if (state === 1 && isDue(observation)) return broken;
      if (matches(owes, observation)) return 1;
      return matches(settles, observation) ? 0 : state;
    },
  };
}

function union(matchers: readonly EventMatcher[]): EventMatcher {
  const ends = new Map<string, EventMatcher['ends'] extends ReadonlyMap<string, infer Test> ? Test : never>();
  for (const matcher of matchers) {
    for (const [id, test] of matcher.ends) {
      const before = ends.get(id);
      ends.set(id, before === undefined ? test : (outcome) => before(outcome) || test(outcome));
    }
  }
  return { starts: new Set(matchers.flatMap(({ starts }) => [...starts])), ends };
}
