import { describe, expect, it } from 'vitest';
import { compile } from '../../src/compiler/compile.js';
import { fix } from '../../src/compiler/fix.js';
import { corpusFiles } from './corpus.js';

/** Files that have errors when everything is fixed that a machine can fix, with the rules of these errors. */
const left = new Map<string, readonly string[]>([
  ['kilroy__demo__substack-spec-v01-ui.gv', ['start_node', 'terminal_node']],
  ['kilroy__demo__tmux-agent-test__failure-routing.dot', ['terminal_node']],
  ['kilroy__demo__tmux-agent-test__multi-node.dot', ['terminal_node']],
  ['kilroy__docs__strongdm__dot_specs__semport.dot', ['terminal_node']],
  // A script of another language, with the pipeline in a string.
  ['kilroy__docs__strongdm__dot_specs__simple_example_integration_smoke_test.dot', ['syntax']],
]);

const files = corpusFiles();

describe.skipIf(files.length === 0)('98: a pipeline of the corpus', () => {
  it.each(files)('has no more errors than before, and nothing more to fix: $name', ({ name, text }) => {
    const before = errorsOf(compile(text, { name }));
    const { text: fixed, compilation, withheld } = fix(text, { name });
    const after = errorsOf(compilation);
    expect(after.length).toBeLessThanOrEqual(before.length);
    expect([...new Set(after)]).toEqual(left.get(name) ?? []);
    expect(withheld).toEqual([]);
    expect(fix(fixed, { name }).text).toBe(fixed);
  });

  it.each(files.filter(({ name }) => /testdata__(?:cycle|diamond|simple)\.dot$/.test(name)))(
    '8: is migrated, though it has no commas: $name',
    ({ text }) => {
      const codes = compile(text).diagnostics.map(({ code }) => code);
      expect(codes).toContain('missing_comma');
      expect(errorsOf(fix(text).compilation)).toEqual([]);
    },
  );
});

function errorsOf({ diagnostics }: ReturnType<typeof compile>): readonly string[] {
  return diagnostics.flatMap(({ rule, severity }) => (severity === 'error' ? [rule] : []));
}
