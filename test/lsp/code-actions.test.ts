import { describe, expect, it } from 'vitest';
import { compile } from '../../src/compiler/compile.js';
import { editSet } from '../../src/diagnostic/edit-set.js';
import { changeBetween } from '../../src/lsp/services/diagnostics/change-between.js';
import { fixAll, quickFixes } from '../../src/lsp/services/diagnostics/code-actions.js';
import { shiftFindings } from '../../src/lsp/services/diagnostics/shift-findings.js';
import { shownSpan } from '../../src/lsp/services/diagnostics/shown-span.js';
import { tagOf } from '../../src/lsp/services/diagnostics/tag-of.js';
import { fc } from '../support/fast-check.js';
import { atCursor } from './cursor.js';

function actionsAt(marked: string) {
  const { pipeline, offset } = atCursor(marked);
  const { diagnostics } = compile(pipeline.text);
  return quickFixes(pipeline, diagnostics, { start: offset, end: offset }).map(
    ({ title, edits, isPreferred }) => {
      const set = editSet(pipeline.text);
      set.add(edits, title);
      return { title, isPreferred, text: set.apply() };
    },
  );
}

const ends = 'start [shape=Mdiamond]; done [shape=Msquare]';

describe('quick fixes', () => {
  it('make the fix of a finding', () => {
    const actions = actionsAt(`digraph G { ${ends}; a [prompt="x"<|> timeout=5s]; start -> a -> done }`);
    expect(actions[0]).toEqual({
      title: 'insert a comma',
      isPreferred: true,
      text: `digraph G { ${ends}; a [prompt="x", timeout=5s]; start -> a -> done }`,
    });
  });

  it('make all fixes of one kind', () => {
    const actions = actionsAt(
      `digraph G { ${ends}; a [prompt="x"<|> timeout=5s]; b [prompt="x" timeout=5s]; start -> a -> b -> done }`,
    );
    const all = actions.find(
      ({ title }) => title === 'fix all 2 findings of syntax/missing_comma in this file',
    );
    expect(all?.text).toBe(
      `digraph G { ${ends}; a [prompt="x", timeout=5s]; b [prompt="x", timeout=5s]; start -> a -> b -> done }`,
    );
  });

  it('suppress a rule by a comment above the line, which works', () => {
    const [action] = actionsAt(
      `digraph G {\n  ${ends}\n  a [prompt="x"]\n  b [prompt="y"]\n  start -> a\n  a -> b [condition="outcome=success"]\n  <|>a -> b [condition="outcome=success"]\n  a -> done [condition="outcome=fail"]\n  b -> done\n}`,
    ).filter(({ title }) => title.startsWith('suppress duplicate_edge'));
    expect(action?.text).toContain('  // attractor-disable-next-line duplicate_edge\n  a -> b');
    const left = compile(action?.text ?? '').diagnostics.map(({ rule }) => rule);
    expect(left).not.toContain('duplicate_edge');
    expect(left).not.toContain('unused_suppression');
  });

  it('offer no comment inside a text', () => {
    const titles = actionsAt(
      `digraph G { ${ends}; a [prompt="x\n\${stages.no<|>body.output}"]; start -> a -> done }`,
    );
    expect(titles.filter(({ title }) => title.startsWith('suppress'))).toEqual([]);
  });

  it('fix everything at once', () => {
    const { pipeline } = atCursor(`digraph G { ${ends}<|> a [prompt="x" timeout=5s] start -> a -> done`);
    const all = fixAll(pipeline, {});
    const set = editSet(pipeline.text);
    set.add(all?.edits ?? [], 'all');
    expect(compile(set.apply()).diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(fixAll(atCursor(`<|>${set.apply()}`).pipeline, {})).toBeUndefined();
  });
});

describe('what an editor underlines', () => {
  it.each([
    ['what is there', 'abc def', 0, 3, 'abc'],
    ['the blanks and the word behind what is missing', 'a="x" timeout=1', 5, 5, ' timeout'],
    ['the sign behind it', 'a [x', 1, 1, ' ['],
    ['what is before the end of a line', 'abc\ndef', 3, 3, 'c'],
    ['nothing in an empty text', '', 0, 0, ''],
  ])('is %s', (_name, text, start, end, expected) => {
    const span = shownSpan(text, { start, end });
    expect(text.slice(span.start, span.end)).toBe(expected);
  });
});

describe('tags', () => {
  it.each([
    ['reachability', 'unnecessary'],
    ['dead_edge', 'unnecessary'],
    ['unused_suppression', 'unnecessary'],
    ['condition_double_equals', 'deprecated'],
    ['start_node', undefined],
    ['a rule of a plugin', undefined],
  ])('of %s: %s', (rule, tag) => {
    expect(tagOf(rule)).toBe(tag);
  });
});

describe('findings of an earlier text', () => {
  const at = (start: number, end: number) =>
    [{ rule: 'r', severity: 'error', message: 'm', span: { start, end } }] as const;

  it.each([
    ['before the change stay', 'abc def', 'abc deXf', [0, 3], [0, 3]],
    ['after it move', 'abc def', 'abXXc def', [4, 7], [6, 9]],
    ['after a removal move back', 'abc def', 'c def', [4, 7], [2, 5]],
    ['in it go', 'abc def', 'aXc def', [0, 3], undefined],
  ])('%s', (_name, before, after, [start = 0, end = 0], expected) => {
    const [moved] = shiftFindings(at(start, end), changeBetween(before, after));
    expect(moved && [moved.span.start, moved.span.end]).toEqual(expected);
  });

  it('always mark the same characters', () => {
    const text = fc.string({ maxLength: 12, unit: fc.constantFrom('a', 'b') });
    fc.assert(
      fc.property(text, text, fc.nat(12), fc.nat(12), (before, after, one, other) => {
        const [start, end] = [
          Math.min(one, other, before.length),
          Math.min(Math.max(one, other), before.length),
        ];
        for (const { span } of shiftFindings(at(start, end), changeBetween(before, after)))
          expect(after.slice(span.start, span.end)).toBe(before.slice(start, end));
      }),
    );
  });
});
