// Put in by the bundler (scripts/bundle.mjs) and by the test runner (vitest.config.ts), both from fixtures/lint.
declare const __ATTRACTOR_EXAMPLES__: string;

/** Pipelines of which a rule says something, and nothing. */
export interface RuleExamples {
  readonly bad?: string;
  readonly good?: string;
}

/** The simplest fixtures of a rule; none for one of a plugin. */
export function ruleExamples(rule: string): RuleExamples {
  const examples = new Map<string, RuleExamples>(Object.entries(JSON.parse(__ATTRACTOR_EXAMPLES__)));
  return examples.get(rule) ?? {};
}
