import { describe, expect, it } from 'vitest';
import { compile } from '../../src/compiler/compile.js';
import type { Diagnostic } from '../../src/diagnostic/diagnostic.js';
import { format } from '../../src/format/format.js';
import { fixturesIn } from '../support/fixtures.js';

/** What formatting mends by itself. */
function isMended({ rule, message }: Diagnostic): boolean {
  if (rule === 'stylesheet_syntax') return message.startsWith('"=" is read as ":"');
  return rule === 'graphviz_portable' || rule === 'syntax';
}

function findings(text: string): readonly string[] {
  return compile(text)
    .diagnostics.filter((diagnostic) => !isMended(diagnostic))
    .map(({ rule, severity, message }) => `${severity} ${rule}: ${message}`)
    .sort();
}

describe('98: formatting changes no finding', () => {
  const formatted = ['lint', 'format', 'syntax'].flatMap(fixturesIn).flatMap(({ name, text }) => {
    const result = format(text).text;
    return result === undefined ? [] : [[name, text, result] as const];
  });

  it.each(formatted)('of %s', (_, text, result) => {
    expect(findings(result)).toEqual(findings(text));
  });
});

describe('98: what a comment suppresses stays suppressed', () => {
  const long = 'Say what there is to be said about all of it, and then say it again, with other words. ';
  const around = (lines: string) =>
    `digraph G {\n${lines}\n s [shape=Mdiamond] e [shape=Msquare] a [prompt="Do it"] s -> a -> e\n}`;
  const next = (rule: string) => `// attractor-disable-next-line ${rule}\n`;

  it.each([
    ['the last attribute of a long node', `${next('attribute_known')}a [label="${long}", promt="${long}"]`],
    [
      'a value in a long prompt',
      `${next('unknown_value_root')}a [prompt="${long}${long}", label="\${run.id}"]`,
    ],
    ['defaults', `${next('shape_known')}node [llm_model="${long}", shape=elipse] n [prompt=x] s -> n -> e`],
    [
      'attributes of the graph',
      `${next('attribute_known')}graph [goal="${long}", label="${long}", max_step=9]`,
    ],
    [
      'an edge',
      `${next('fidelity_valid')}a -> a [condition="outcome=fail && context.x=\\"${long}\\"", fidelity=ful]`,
    ],
  ])('in %s', (_, lines) => {
    const text = around(lines);
    const suppressed =
      compile(text.replace(/^\/\/.*$/m, '')).diagnostics.length - compile(text).diagnostics.length;
    expect(suppressed).toBe(1);
    const result = format(text).text ?? '';
    expect(result.split('\n').length).toBeGreaterThan(text.split('\n').length + 2);
    expect(findings(result)).toEqual(findings(text));
  });
});
