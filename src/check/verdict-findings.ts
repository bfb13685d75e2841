import type { Diagnostic } from '../diagnostic/diagnostic.js';
import type { Span } from '../diagnostic/source.js';
import { checkPrefix } from '../graph/attributes.js';
import type { Graph } from '../graph/graph.js';
import type { PropertyVerdict } from './check-properties.js';

const brokenRule = 'property_broken';
const undecidedRule = 'property_undecided';

/** Rules under which verdicts appear among the findings of a file. */
export const verdictRules = [
  {
    id: brokenRule,
    severity: 'error',
    summary: 'Every run has the properties of the pipeline.',
  },
  {
    id: undecidedRule,
    severity: 'warning',
    summary: 'Every property of the pipeline can be decided.',
  },
] as const;

/** Verdicts as findings, without the properties that hold. */
export function findingsOf(verdicts: readonly PropertyVerdict[], graph: Graph): readonly Diagnostic[] {
  return verdicts.flatMap((verdict) => findingOf(verdict, spanOf(verdict, graph)) ?? []);
}

function findingOf(verdict: PropertyVerdict, span: Span): Diagnostic | undefined {
  const { name, text } = verdict.monitor;
  switch (verdict.kind) {
    case 'holds':
      return undefined;
    case 'broken': {
      const { reason: message, script } = verdict.counterexample;
      return { rule: brokenRule, severity: 'error', message, span, witness: script };
    }
    case 'undecided': {
      const message = `"${name}" (${text}) is not decided: ${verdict.reasons.join('; ')}`;
      return { rule: undecidedRule, severity: 'warning', message, span, unproved: true };
    }
  }
}

/** Place of a property in the pipeline; the beginning of the text for one from elsewhere. */
function spanOf({ monitor: { name, origin } }: PropertyVerdict, graph: Graph): Span {
  const attribute = origin === 'pipeline' ? graph.attributes.get(`${checkPrefix}${name}`) : undefined;
  return attribute?.valueSpan ?? { start: 0, end: 0 };
}
