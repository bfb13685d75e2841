import { describe, expect, it } from 'vitest';
import { type CompileOptions, compile } from '../../src/compiler/compile.js';
import type { LintRule } from '../../src/lint/rule.js';
import { builtInRules } from '../../src/lint/rules/index.js';
import { fc } from '../support/fast-check.js';
import { applyEdits } from './apply-edits.js';

/** Finds every id that begins with `bad`, and the value of every label that does. */
const houseRule: LintRule = {
  name: 'house_rule',
  severity: 'warning',
  summary: 'Nothing is called bad.',
  *apply(graph) {
    for (const node of graph.nodes.values()) {
      if (node.id.startsWith('bad')) yield { message: `found ${node.id}`, span: node.span };
      const label = node.attributes.get('label');
      if (label === undefined || !String(label.value).includes('bad')) continue;
      const start = label.valueSpan.end - 2;
      yield { message: 'found a label', span: { start, end: start + 1 } };
    }
  },
};
const off = new Map(
  builtInRules.filter(({ severity }) => severity !== 'error').map(({ name }) => [name, 'off' as const]),
);

/** What is found in a pipeline with these lines in it, as `line rule/code`. */
function found(lines: string, options: CompileOptions = {}): readonly string[] {
  const text = `digraph G {\n${lines}\ns [shape=Mdiamond] e [shape=Msquare] s -> e\n}\n`;
  const { source, diagnostics } = compile(text, {
    rules: [houseRule],
    ...options,
    ruleSettings: new Map([...off, ['reachability', 'off'], ...(options.ruleSettings ?? [])]),
  });
  return diagnostics.map(
    ({ rule, code, span }) =>
      `${source.positionAt(span.start).line} ${code === undefined ? rule : `${rule}/${code}`}`,
  );
}

const next = '// attractor-disable-next-line house_rule';
const file = '// attractor-disable house_rule';

describe('a comment suppresses findings', () => {
  it.each<[what: string, lines: string, found: readonly string[]]>([
    ['of the next line', `${next}\nbad1 bad2\nbad3`, ['4 house_rule']],
    ['of the whole file', `bad1\n${file}\nbad2`, []],
    [
      'of several rules',
      '// attractor-disable-next-line house_rule, node_redeclared\nbad1',
      ['2 unused_suppression/unused'],
    ],
    ['in a block comment', '/* attractor-disable house_rule */ bad1', []],
    ['in a block comment over several lines', '/*\n * attractor-disable-next-line house_rule\n */\nbad1', []],
    ['with a reason', `${next} -- as agreed with bad, and others\nbad1`, []],
    ['after other comments and empty lines', `${next}\n\n// why\n/* and\n how */ /* more */\n\nbad1`, []],
    ['of an attribute over several lines', `${next}\nx [label="one\ntwo\nbad "]`, []],
    ['of a statement over several lines', `${next}\nx [\n shape=box,\n label="bad "\n]`, []],
    [
      'but not of the statements in a subgraph',
      `${next}\nsubgraph x {\nbad1\n}`,
      ['2 unused_suppression/unused', '4 house_rule'],
    ],
    ['of a statement in a subgraph', `subgraph x {\n${next}\nx [\n label="bad "\n]\n}`, []],
    ['of an attribute alone', `x [\n${next}\n label="one\nbad ",\n shape=box\n]`, []],
    [
      'but not of the attributes after that',
      `x [\n${next}\n shape=box,\n label="bad "\n]`,
      ['3 unused_suppression/unused', '5 house_rule'],
    ],
    ['but not of the line of the comment', `bad1 ${next}\nbad2`, ['2 house_rule']],
    [
      'but not of a line after the attribute',
      `${next}\nx [label="one\ntwo"]\nbad1`,
      ['2 unused_suppression/unused', '5 house_rule'],
    ],
    ['where it stands at the end', `bad1\n${next}`, ['2 house_rule', '3 unused_suppression/unused']],
    ['but not in a text', 'x [label="// attractor-disable house_rule"] bad1', ['2 house_rule']],
    ['but not in the middle of a comment', '// see attractor-disable house_rule\nbad1', ['3 house_rule']],
  ])('%s', (_, lines, findings) => {
    expect(found(lines)).toEqual(findings);
  });

  it('also of an error, which then stops nothing', () => {
    const error: LintRule = { ...houseRule, severity: 'error' };
    const text = `digraph G { s [shape=Mdiamond] e [shape=Msquare] s -> bad -> e\n${file}\n}`;
    const { program, diagnostics } = compile(text, { rules: [error], ruleSettings: off });
    expect(diagnostics).toEqual([]);
    expect(program).toBeDefined();
  });

  it('but not of a rule without which nothing can run', () => {
    const lines = '// attractor-disable-next-line attribute_type\nx [timeout=soon]';
    expect(found(lines)).toEqual(['2 unused_suppression/fixed_rule', '3 attribute_type']);
  });

  it('and is used where another one is, the nearer one first', () => {
    expect(found(`${file}\n${next}\nbad1`)).toEqual(['2 unused_suppression/unused']);
    expect(found(`${file}\n${next}\nbad1\nbad2`)).toEqual([]);
  });
});

describe('a comment without effect is told', () => {
  it.each<[what: string, lines: string, options: CompileOptions, found: readonly string[]]>([
    ['in general', file, {}, ['2 unused_suppression/unused']],
    ['not of a rule that is off', file, { ruleSettings: new Map([['house_rule', 'off']]) }, []],
    ['not where some of the text could not be read', `${file}\n&&&`, {}, ['3 syntax/unexpected_character']],
    ['with another severity', file, { ruleSettings: new Map([['unused_suppression', 'off']]) }, []],
    ['not where a comment says so', `${file}\n// attractor-disable unused_suppression`, {}, []],
    [
      'also of the rule about comments',
      '// attractor-disable unused_suppression',
      {},
      ['2 unused_suppression/unused'],
    ],
    ['also of a plugin that is not there', file, { rules: [] }, ['2 unused_suppression/unknown_rule']],
  ])('%s', (_, lines, options, findings) => {
    expect(found(lines, options)).toEqual(findings);
  });

  it.each<[what: string, text: string, fixed: string]>([
    ['the line', `  a\n  ${file} \n  b`, '  a\n  b'],
    ['the line, at the end of a Windows file', `a\r\n${file}\r\n`, 'a\r\n'],
    ['the comment after something', `a  ${file}\nb`, 'a\nb'],
    ['the comment between two names', 'a  /* attractor-disable house_rule */b', 'a b'],
    ['the comment before something', `  /* attractor-disable house_rule */ a`, '   a'],
    ['all names at once', '// attractor-disable house_rule, node_redeclared\na', 'a'],
    [
      'some of several names',
      '// attractor-disable duplicate_attribute, house_rule, node_redeclared, subgraph_attribute -- so\nbad',
      '// attractor-disable house_rule -- so\nbad',
    ],
  ])('and its fix removes %s', (_, text, fixed) => {
    const whole = (lines: string) =>
      `digraph G {\n${lines}\ns [shape=Mdiamond] e [shape=Msquare] s -> e\n}\n`;
    const settings = new Map([...off, ['reachability', 'off'] as const]);
    const { diagnostics } = compile(whole(text), { rules: [houseRule], ruleSettings: settings });
    expect(
      applyEdits(
        whole(text),
        diagnostics.flatMap(({ fix }) => fix?.edits ?? []),
      ),
    ).toBe(whole(fixed));
  });
});

it('whatever comments say, compiling never throws, and fixes leave the graph as it is', () => {
  const word = fc.constantFrom(
    'attractor-disable',
    'attractor-disable-next-line',
    'attractor-enable',
    '--',
    ',',
    ' ',
  );
  const name = fc.constantFrom(
    'house_rule',
    'node_redeclared',
    'start_node',
    'unused_suppression',
    'x',
    '__proto__',
  );
  const body = fc.array(fc.oneof(word, name), { maxLength: 8 }).map((parts) => parts.join(' '));
  const comment = fc.oneof(
    body.map((text) => `// ${text}\n`),
    body.map((text) => `/* ${text}\n*/`),
    fc.constant('bad1 '),
  );
  fc.assert(
    fc.property(fc.array(comment, { maxLength: 6 }), (parts) => {
      const text = `digraph G {\n${parts.join('')}\ns [shape=Mdiamond] e [shape=Msquare] s -> e\n}\n`;
      const options = { rules: [houseRule] };
      const { diagnostics, graph } = compile(text, options);
      const own = diagnostics.filter(({ rule }) => rule === 'unused_suppression');
      const fixed = applyEdits(
        text,
        own.flatMap(({ fix }) => fix?.edits ?? []),
      );
      const again = compile(fixed, options);
      expect([...again.graph.nodes.keys()]).toEqual([...graph.nodes.keys()]);
      const others = (list: typeof diagnostics) =>
        list.filter(({ rule }) => rule !== 'unused_suppression').map(({ message }) => message);
      expect(others(again.diagnostics)).toEqual(others(diagnostics));
    }),
  );
});
