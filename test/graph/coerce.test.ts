import { describe, expect, test } from 'vitest';
import { attributeDefinition } from '../../src/graph/attributes.js';
import { coerceValue, parseDuration } from '../../src/graph/coerce.js';
import { lower } from '../../src/graph/lower.js';
import { parseDot } from '../../src/parser/dot/parse.js';

/** The value of one attribute as the graph has it, and the findings about it. */
function read(owner: 'graph' | 'node' | 'edge', attribute: string) {
  const statement = { graph: 'graph', node: 'a', edge: 'a -> b' }[owner];
  const { document, diagnostics } = parseDot(`digraph G { ${statement} [${attribute}] }`);
  const { graph, diagnostics: found } = lower(document);
  const name = attribute.slice(0, attribute.indexOf('=')).trim();
  const holder = owner === 'graph' ? graph : owner === 'edge' ? graph.edges[0] : undefined;
  const attributes = holder?.attributes ?? graph.nodes.get('a')?.attributes;
  return {
    value: attributes?.get(name)?.value,
    findings: [...diagnostics, ...found].map(({ severity, rule }) => `${severity} ${rule}`),
  };
}

const seconds = (count: number) => ({ milliseconds: count * 1000, text: `${count}s` });

describe('3–6: a value has the type of its attribute, quoted or not', () => {
  test.each<[owner: 'graph' | 'node' | 'edge', attribute: string, value: unknown]>([
    ['node', 'max_retries=3', 3],
    ['node', 'max_retries="3"', 3],
    ['node', 'max_retries=" 3 "', 3],
    ['node', 'max_retries=2.0', 2],
    ['node', 'goal_gate=true', true],
    ['node', 'goal_gate="false"', false],
    ['node', 'label=42', '42'],
    ['node', 'label="42"', '42'],
    ['node', 'label=true', 'true'],
    ['node', 'label=30s', '30s'],
    ['node', 'timeout=900', seconds(900)],
    ['node', 'timeout="900"', seconds(900)],
    ['node', 'timeout=900s', seconds(900)],
    ['node', 'timeout="900s"', seconds(900)],
    ['node', 'timeout=15m', { milliseconds: 900_000, text: '15m' }],
    ['node', 'timeout=250ms', { milliseconds: 250, text: '250ms' }],
    ['node', 'timeout=2h', { milliseconds: 7_200_000, text: '2h' }],
    ['node', 'timeout=1d', { milliseconds: 86_400_000, text: '1d' }],
    ['node', 'timeout=0', seconds(0)],
    ['node', 'timeout=0s', seconds(0)],
    ['node', 'unknown=3', 3],
    ['node', 'unknown="3"', '3'],
    ['node', 'unknown=.5', 0.5],
    ['node', 'unknown=-7', -7],
    ['node', 'unknown=true', true],
    ['node', 'unknown=30s', '30s'],
    ['node', 'unknown="30s"', '30s'],
    ['node', 'unknown=bare', 'bare'],
    ['edge', 'weight=2', 2],
    ['edge', 'weight="-3"', -3],
    ['edge', 'weight=2.0', 2],
    ['graph', 'max_steps=7', 7],
    ['graph', 'join_k=x', 'x'],
  ])('%s [%s]', (owner, attribute, value) => {
    const { findings, ...found } = read(owner, attribute);
    expect(found.value).toEqual(value);
    expect(findings.filter((finding) => finding.startsWith('error attr'))).toEqual([]);
  });

  test.each<[owner: 'graph' | 'node' | 'edge', attribute: string, finding: string]>([
    ['node', 'max_retries=-1', 'error retry_budget_non_negative'],
    ['node', 'max_retries=2.5', 'error retry_budget_non_negative'],
    ['node', 'max_retries=many', 'error retry_budget_non_negative'],
    ['node', 'max_retries=99999999999999999999', 'error retry_budget_non_negative'],
    ['graph', 'default_max_retry=-2', 'error retry_budget_non_negative'],
    ['graph', 'default_max_retries=x', 'error retry_budget_non_negative'],
    ['node', 'max_visits=0', 'error attribute_type'],
    ['node', 'goal_gate=yes', 'error attribute_type'],
    ['node', 'goal_gate=True', 'error attribute_type'],
    ['node', 'goal_gate=1', 'error attribute_type'],
    ['node', 'timeout="-5s"', 'error attribute_type'],
    ['node', 'timeout="900sx"', 'error attribute_type'],
    ['node', 'timeout="900S"', 'error attribute_type'],
    ['node', 'timeout="1.5h"', 'error attribute_type'],
    ['node', 'timeout="soon"', 'error attribute_type'],
    ['edge', 'weight=heavy', 'warning attribute_type'],
    ['node', 'retry_policy=patiently', 'error attribute_type'],
    ['graph', 'on_failure=maybe', 'error attribute_type'],
    ['node', 'join_policy=most', 'error attribute_type'],
  ])('%s [%s] is reported and left out', (owner, attribute, finding) => {
    expect(read(owner, attribute)).toEqual({ value: undefined, findings: [finding] });
  });

  test('6: a weight with a fraction is a warning, and counts as it stands', () => {
    expect(read('edge', 'weight=1.5')).toEqual({ value: 1.5, findings: ['warning attribute_type'] });
  });

  test.each([
    ['yes', 'true'],
    ['ON', 'true'],
    ['1', 'true'],
    ['False', 'false'],
    ['0', 'false'],
    ['perhaps', undefined],
  ])('goal_gate=%s suggests %s', (text, suggestion) => {
    const span = { start: 0, end: 0 };
    const coercion = coerceValue(attributeDefinition('node', 'goal_gate'), { kind: 'string', text, span });
    expect(coercion).toEqual({
      kind: 'problem',
      expected: '`true` or `false`',
      ...(suggestion && { suggestion }),
    });
  });
});

describe('4, 5: durations', () => {
  test.each([
    ['10ms', 10],
    ['10', 10_000],
    ['0ms', 0],
    ['007s', 7000],
    ['104249991d', 9_007_199_222_400_000],
    ['104249992d', undefined],
    ['', undefined],
    ['s', undefined],
    ['10 s', undefined],
    ['-0', undefined],
    ['1w', undefined],
    ['1e3', undefined],
  ])('%j is %j ms', (text, milliseconds) => {
    expect(parseDuration(text)?.milliseconds).toEqual(milliseconds);
  });
});
