import { describe, expect, it } from 'vitest';
import { compile } from '../../src/compiler/compile.js';
import { isAdjustable, type RuleSetting } from '../../src/lint/rule-settings.js';
import { builtInRules } from '../../src/lint/rules/index.js';

/** An LLM stage without a prompt, an unreachable stage, and a node that is declared twice. */
const text = `digraph G {
  start [shape=Mdiamond] exit [shape=Msquare]
  plan
  lost [prompt="x"]
  lost [prompt="y"]
  start -> plan -> exit
}`;

function found(settings: Readonly<Record<string, RuleSetting>>, source = text): readonly string[] {
  const { diagnostics, program } = compile(source, { ruleSettings: new Map(Object.entries(settings)) });
  expect(program === undefined).toBe(diagnostics.some(({ severity }) => severity === 'error'));
  return diagnostics.map(({ severity, rule }) => `${severity} ${rule}`);
}

describe('7.1: the severity of a rule', () => {
  it.each<[settings: Readonly<Record<string, RuleSetting>>, findings: readonly string[]]>([
    [{}, ['warning prompt_on_llm_nodes', 'error reachability', 'info node_redeclared']],
    [
      { reachability: 'warning' },
      ['warning prompt_on_llm_nodes', 'warning reachability', 'info node_redeclared'],
    ],
    [{ reachability: 'off', node_redeclared: 'off' }, ['warning prompt_on_llm_nodes']],
    [
      { prompt_on_llm_nodes: 'error', node_redeclared: 'warning' },
      ['error prompt_on_llm_nodes', 'error reachability', 'warning node_redeclared'],
    ],
  ])('can be set: %o', (settings, findings) => {
    expect(found(settings)).toEqual(findings);
  });

  it('stays what it is where nothing could be run without it', () => {
    const fixed = builtInRules.filter(({ name }) => !isAdjustable(name)).map(({ name }) => name);
    expect(fixed).toEqual([
      ...['start_node', 'terminal_node', 'edge_target_exists', 'condition_syntax'],
      ...['property_syntax', 'property_names'],
    ]);
    const wrong = 'digraph G { a -> b [condition="="] a [timeout=soon] ';
    const off = Object.fromEntries(
      [...fixed, 'syntax', 'attribute_type'].map((rule) => [rule, 'off' as const]),
    );
    expect(found(off, wrong)).toEqual(found({}, wrong));
  });

  it('may make a runnable pipeline of one that lint refuses, whatever the rule', () => {
    const settings = Object.fromEntries(builtInRules.map(({ name }) => [name, 'off' as const]));
    expect(found(settings)).toEqual(['info node_redeclared']);
  });
});
