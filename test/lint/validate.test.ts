import { describe, expect, it } from 'vitest';
import { lower } from '../../src/graph/lower.js';
import type { LintRule } from '../../src/lint/rule.js';
import { ValidationError, validate, validateOrRaise } from '../../src/lint/validate.js';
import { parseDot } from '../../src/parser/dot/parse.js';

const graphOf = (text: string) => lower(parseDot(text).document).graph;

const sound = graphOf(
  'digraph G { start [shape=Mdiamond]; plan; exit [shape=Msquare]; start -> plan -> exit }',
);
const broken = graphOf('digraph G { plan; exit [shape=Msquare]; plan -> exit; exit -> plan }');

const noPlans: LintRule = {
  name: 'no_plans',
  severity: 'error',
  summary: 'No node is called plan.',
  *apply(graph) {
    const plan = graph.nodes.get('plan');
    if (plan !== undefined) yield { message: 'plans are not allowed', span: plan.span, nodeId: 'plan' };
  },
};

describe('validate (§7.3)', () => {
  it('runs the built-in rules, then the extra ones', () => {
    expect(validate(sound, [noPlans]).map(({ rule, severity }) => `${severity} ${rule}`)).toEqual([
      'error no_plans',
      'warning prompt_on_llm_nodes',
    ]);
  });

  it('points at the whole string where it has no source to look into', () => {
    const text = 'digraph G { start -> exit [condition="outcome"]; exit -> exit [condition="a ~ b"] }';
    const found = validate(graphOf(text)).find(({ rule }) => rule === 'condition_syntax');
    expect(text.slice(found?.span.start, found?.span.end)).toBe('"a ~ b"');
  });

  it('knows the handler types that a program names', () => {
    const graph = graphOf('digraph G { a [type="custom"] }');
    const rules = (types: readonly string[]) =>
      validate(graph, [], { handlerTypes: new Set(types) }).map(({ rule }) => rule);
    expect(rules(['custom'])).not.toContain('type_known');
    expect(rules([])).toContain('type_known');
  });
});

describe('validateOrRaise (§7.3)', () => {
  it('returns the diagnostics of a graph without errors', () => {
    expect(validateOrRaise(sound).map(({ rule }) => rule)).toEqual(['prompt_on_llm_nodes']);
  });

  it('throws an error that says what is wrong and carries every diagnostic', () => {
    const raise = () => validateOrRaise(broken);
    expect(raise).toThrow(ValidationError);
    expect(raise).toThrow(/^start_node: .*\nexit_no_outgoing: .*$/);
    try {
      raise();
    } catch (error) {
      expect((error as ValidationError).diagnostics).toEqual(validate(broken));
    }
  });

  it('throws for the error of an extra rule', () => {
    expect(() => validateOrRaise(sound, [noPlans])).toThrow('no_plans: plans are not allowed');
  });
});
