import type { Decisions } from './decision.js';

/** Set by the bundler: the decisions of each grammar as JSON; undefined if the source runs unbundled. */
declare const __ATTRACTOR_DECISIONS__: string | undefined;

export type GrammarDecisions = Readonly<
  Record<'dot' | 'condition' | 'stylesheet' | 'keyList' | 'property', Decisions>
>;

let read: GrammarDecisions | undefined;

/** Decisions of a grammar from the build of the package; undefined without a bundle. */
export function builtInDecisions(grammar: keyof GrammarDecisions): Decisions | undefined {
  const text: string | undefined = __ATTRACTOR_DECISIONS__;
  if (text === undefined) return undefined;
  read ??= JSON.parse(text) as GrammarDecisions;
  return read[grammar];
}
