import type { Decisions } from './decision.js';

/** Set by the bundler: the decisions of each grammar as JSON; undefined where the source is run as it is. */
declare const __ATTRACTOR_DECISIONS__: string | undefined;

export type GrammarDecisions = Readonly<Record<'dot' | 'condition' | 'stylesheet' | 'keyList', Decisions>>;

let read: GrammarDecisions | undefined;

/** What the analysis of a grammar finds, worked out when the package was built. */
export function builtInDecisions(grammar: keyof GrammarDecisions): Decisions | undefined {
  const text: string | undefined = __ATTRACTOR_DECISIONS__;
  if (text === undefined) return undefined;
  read ??= JSON.parse(text) as GrammarDecisions;
  return read[grammar];
}
