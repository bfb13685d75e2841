import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { drawn, undrawn } from './underlines.js';

/*
 * A mistake inside of a string is underlined at its own place, through the quotes and escapes of the string. The cases
 * are drawings: what stands below a line is what is found in it, and nothing else is.
 */

const drawings = readFileSync(path.join(import.meta.dirname, 'drawings/places-in-strings.txt'), 'utf8')
  .split(/^## /m)
  .slice(1)
  .map((section) => {
    const [name = '', ...lines] = section.trimEnd().split('\n');
    return { name, statements: lines.slice(1) };
  });

/** Those that speak of the inside of a string, or of a string as a whole. */
const rules: ReadonlySet<string> = new Set([
  'attribute_type',
  'condition_double_equals',
  'condition_syntax',
  'fidelity_valid',
  'human_default_matches',
  'manager_actions_known',
  'outcome_known',
  'retry_budget_non_negative',
  'retry_target_exists',
  'stylesheet_syntax',
  'syntax',
  'unknown_value_root',
  'value_in_nested_shell',
  'value_refused_in_command',
  'value_without_effect',
]);

test('there are drawings of every rule', () => {
  const shown = drawings.flatMap(({ statements }) =>
    statements.flatMap((line) => /^ *\^+ ([a-z_]+)/.exec(line)?.slice(1) ?? []),
  );
  expect([...new Set(shown)].sort()).toEqual([...rules].sort());
});

describe.each([
  ['line feeds', '\n'],
  ['carriage returns and line feeds', '\r\n'],
])('43b: places inside of strings, with %s', (_name, lineBreak) => {
  test.each(drawings)('$name', ({ statements }) => {
    const drawing = [
      'digraph g {',
      'start [shape=Mdiamond]; exit [shape=Msquare]',
      'start -> a -> exit',
      ...statements,
      '}',
    ].join('\n');
    expect(drawn(undrawn(drawing).replaceAll('\n', lineBreak), rules)).toBe(drawing);
  });
});
