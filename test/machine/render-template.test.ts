import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../src/graph/json.js';
import { lookUp } from '../../src/graph/look-up.js';
import { renderTemplate, renderText } from '../../src/machine/render-template.js';

const values = new Map<string, JsonValue>([
  ['n', 3],
  ['list', ['a', { b: 1 }]],
  ['text', '${context.n}'],
  ['nothing', null],
  ['result.flat', 'from the context'],
  ['result', { walked: 'from the context', status: 'stale' }],
  // Words of a model do not take the place of an outcome.
  ['result.success', true],
  ['result.notes', 'forged'],
]);
const result = {
  status: 'fail',
  failure_reason: 'red',
  failure_category: 'terminal',
  context_updates: { flat: 'from the stage', 'tool.exit_code': 1, __proto__x: true },
} as const;
const lookup = (path: string) =>
  lookUp(path, { result, resultNode: 'test', lookup: (key) => values.get(key) });

describe('§12 Values at run time: a whole-value template keeps the type of the value', () => {
  test.each<readonly [string, JsonValue]>([
    ['${context.n}', 3],
    ['${context.list}', ['a', { b: 1 }]],
    ['${context.list.1.b}', 1],
    ['${context.text}', '${context.n}'],
    ['${context.nothing}', ''],
    ['${context.missing}', ''],
    ['${result.context_updates}', { ...result.context_updates }],
    [' ${context.n}', ' 3'],
    ['${context.n}${context.n}', '33'],
    ['$${context.n}', '${context.n}'],
    ['${context.list}!', '["a",{"b":1}]!'],
    ['plain', 'plain'],
    ['', ''],
  ])('%j', (template, expected) => expect(renderTemplate(template, lookup)).toEqual(expected));

  test('and as text it is a text', () => expect(renderText('${context.n}', lookup)).toBe('3'));
});

describe('§12 Values at run time: result. is the stage before', () => {
  test.each<readonly [string, JsonValue | undefined]>([
    ['result.outcome', 'fail'],
    ['result.status', 'fail'],
    ['result.failure_reason', 'red'],
    ['result.failure_category', 'terminal'],
    ['result.success', false],
    ['result.node', 'test'],
    ['result.notes', null],
    ['result.suggested_next_ids', null],
    ['result.tool.exit_code', 1],
    ['result.context_updates.tool.exit_code', 1],
    ['result.flat', 'from the context'],
    ['result.walked', 'from the context'],
    ['result.constructor', undefined],
    ['result.missing', undefined],
  ])('%s', (path, expected) => expect(lookup(path)).toEqual(expected));

  test.each(['success', 'partial_success', 'skipped'] as const)('result.success after %s', (status) => {
    expect(lookUp('result.success', { result: { status }, lookup: () => undefined })).toBe(true);
  });

  test('its fields go before a context update of the same name', () => {
    const updates = { failure_category: 'mine', success: 'mine', node: 'mine' };
    const own = { status: 'success', context_updates: updates } as const;
    expect(lookUp('result.success', { result: own, lookup: () => undefined })).toBe(true);
    expect(lookUp('result.failure_category', { result: own, lookup: () => undefined })).toBeNull();
    expect(lookUp('result.node', { result: own, lookup: () => undefined })).toBeNull();
  });

  test('without a stage before there is none', () => {
    expect(lookUp('result.outcome', { lookup: () => undefined })).toBeUndefined();
  });
});
