import { describe, expect, it } from 'vitest';
import type { Diagnostic } from '../../src/diagnostic/diagnostic.js';
import { frameLine } from '../../src/diagnostic/frame-line.js';
import { renderPretty } from '../../src/diagnostic/render-pretty.js';
import { SourceText } from '../../src/diagnostic/source.js';
import { textColumns } from '../../src/diagnostic/text-columns.js';
import { fc } from '../support/fast-check.js';

const base = { rule: 'some_rule', severity: 'error', message: 'something is wrong here' } as const;

/** The text with the marks «…» taken out, and the spans that they stood around. */
function marked(text: string) {
  const parts = text.split(/([«»])/);
  const spans: { start: number; end: number }[] = [];
  let plain = '';
  let start = 0;
  for (const part of parts) {
    if (part === '«') start = plain.length;
    else if (part === '»') spans.push({ start, end: plain.length });
    else plain += part;
  }
  return { plain, spans };
}

function pretty(text: string, extra: Partial<Diagnostic> = {}, options = { color: false, width: 80 }) {
  const { plain, spans } = marked(text);
  const [span = { start: 0, end: 0 }, ...others] = spans;
  const related = others.map((place, index) => ({ span: place, message: `related place ${index + 1}` }));
  const diagnostic: Diagnostic = { ...base, span, ...(related.length > 0 && { related }), ...extra };
  return renderPretty(
    [{ source: new SourceText('pipeline.dot', plain), diagnostics: [diagnostic] }],
    options,
  );
}

/** A file with a finding in each line, about these names. */
function many(names: readonly string[], file = 'many.dot') {
  const diagnostics = names.map((name, line): Diagnostic => {
    const fix = { title: 'write `y`', edits: [] };
    return { ...base, message: `"${name}" is wrong`, span: { start: 2 * line, end: 2 * line + 1 }, fix };
  });
  return { source: new SourceText(file, 'x\n'.repeat(names.length)), diagnostics };
}

const cases: readonly [name: string, text: string, extra?: Partial<Diagnostic>][] = [
  ['one word', 'digraph D {\n  start -> «plan»\n}\n'],
  ['a code', 'digraph D {\n  a [x=1« »y=2]\n}\n', { rule: 'syntax', code: 'missing_comma' }],
  ['a warning with a fix', 'a -> «bb»', { severity: 'warning', fix: { title: 'write `b`', edits: [] } }],
  ['an info', '«a»', { severity: 'info' }],
  ['tabs', '\tstart\t-> «plan»\t// go'],
  ['wide characters', 'label="計画を立てる", «type»="人", emoji="👩‍💻 go"'],
  ['wide characters marked', 'x [label=«"計画 e\u0301👍"»]'],
  ['two lines', '  a [\n    «label="one\n    two"»,\n  ]'],
  ['four lines', '«a [\n  x=1,\n  y=2\n]»\nb'],
  ['many lines', `digraph D {\n«a [\n${'  x=1,\n'.repeat(20)}]»\n}`],
  ['end of file', 'digraph D {\n  a -> b«»'],
  ['end of file after a line break', 'digraph D {\n  a -> b\n«»'],
  ['an empty text', '«»'],
  ['a line break', 'a -> b«\n»c'],
  ['windows line breaks', 'digraph D {\r\n  «a» -> b\r\n}\r\n'],
  ['far right on a long line', `${'left '.repeat(60)}«here»${' right'.repeat(60)}`],
  ['left on a long line', `a «here»${' right'.repeat(60)}`],
  ['near the end of a long line', `${'left '.repeat(60)}«here» x`],
  ['a span longer than the window', `a «${'word '.repeat(100)}» b`],
  ['related places', `digraph D {\n  b [y=«2»]\n${'\n'.repeat(8)}  a [x=«1»]\n  a [x=«2»]\n}`],
  ['control characters', '«a» \u001b[31mred\u202e\u0007', { message: 'found "\u001b[2J"' }],
];

describe('renderPretty', () => {
  it('shows two of many with the same cause, and the lines of the others', async () => {
    const { source, diagnostics } = many(['a', 'a', 'a', 'a', 'a', 'b', 'c']);
    expect(renderPretty([{ source, diagnostics }], { color: false })).toBe(
      [
        'many.dot:1:1: error[some_rule]: "a" is wrong\n1 | x\n  | ^\n  = help: write `y`\n',
        'many.dot:2:1: error[some_rule]: "a" is wrong\n2 | x\n  | ^\n  = help: write `y`',
        '  = 5 more: lines 3, 4, 5, "b" (line 6), "c" (line 7)\n\n',
      ].join('\n'),
    );
    const verbose = renderPretty([{ source, diagnostics }], { color: false, verbose: true });
    expect(verbose.match(/^many\.dot:\d+/gm)).toHaveLength(7);
  });

  it('lists no more lines than fit twice', () => {
    const { source, diagnostics } = many(Array.from({ length: 300 }, () => 'a'));
    const text = renderPretty([{ source, diagnostics }], { color: false, width: 60 });
    const [first, second, ...more] = text.slice(text.indexOf('= 298 more')).trimEnd().split('\n');
    expect(first).toMatch(/^= 298 more: lines 3, 4, 5, .*,$/);
    expect(second).toMatch(/^ +\d+, .*, …$/);
    expect(more).toEqual([]);
  });

  it('is brief about a cause that other files have shown often enough', () => {
    const files = Array.from({ length: 5 }, (_, index) => many(['a', 'a', 'a', 'a'], `${index}.dot`));
    const text = renderPretty(files, { color: false });
    expect(text.match(/= help/g)).toHaveLength(6);
    expect(text.match(/^.*more.*$/gm)).toHaveLength(5);
    expect(text.slice(text.indexOf('4.dot'))).toBe(
      '4.dot:1:1: error[some_rule]: "a" is wrong\n  = 3 more: lines 2, 3, 4\n\n',
    );
  });

  it('leaves quiet notes out unless everything is asked for', () => {
    const { source, diagnostics } = many(['a']);
    const quiet = diagnostics.map((one): Diagnostic => ({ ...one, quiet: true, severity: 'info' }));
    expect(renderPretty([{ source, diagnostics: quiet }], { color: false })).toBe('');
    expect(renderPretty([{ source, diagnostics: quiet }], { color: false, verbose: true })).toContain(
      'info[',
    );
    // A project that makes a warning of it wants to see it.
    const warning = quiet.map((one): Diagnostic => ({ ...one, severity: 'warning' }));
    expect(renderPretty([{ source, diagnostics: warning }], { color: false })).toContain('warning[');
  });

  it('wraps texts to the width of a terminal, and to nothing else', () => {
    const message = 'a message of many words '.repeat(5).trim();
    const extra = { message, fix: { title: message, edits: [] } };
    const narrow = pretty('a -> «bb»', extra, { color: false, width: 50 }).trimEnd().split('\n');
    expect(narrow.filter((line) => textColumns(line) > 50)).toEqual([]);
    expect(narrow.length).toBeGreaterThan(7);
    const { plain, spans } = marked('a -> «bb»');
    const diagnostics = spans.map((span): Diagnostic => ({ ...base, ...extra, span }));
    const source = new SourceText('pipeline.dot', plain);
    expect(renderPretty([{ source, diagnostics }], { color: false }).trimEnd().split('\n')).toHaveLength(4);
  });

  it('shows the line with marks below the place', async () => {
    const report = cases.map(([name, text, extra]) => `## ${name}\n\n${pretty(text, extra)}`).join('\n');
    await expect(report).toMatchFileSnapshot('pretty/plain.txt');
  });

  it('uses colours only when asked to', async () => {
    const text = 'digraph D {\n  a [x=«1»]\n  b [x=«2»]\n}';
    const extra = { fix: { title: 'do it', edits: [] } };
    const colored = pretty(text, extra, { color: true, width: 80 });
    expect(pretty(text, extra)).toBe(withoutColors(colored));
    await expect(colored.replaceAll('\u001b', '␛')).toMatchFileSnapshot('pretty/colored.txt');
  });

  it('is empty without diagnostics', () => {
    expect(renderPretty([{ source: new SourceText('a.dot', 'x'), diagnostics: [] }], { color: false })).toBe(
      '',
    );
  });

  it('shows several files one after the other', () => {
    const files = ['one.dot', 'two.dot'].map((name) => ({
      source: new SourceText(name, 'abc'),
      diagnostics: [{ ...base, span: { start: 1, end: 2 } }],
    }));
    const heads = renderPretty(files, { color: false }).match(/^\S+: error.*$/gm);
    expect(heads).toEqual([
      'one.dot:1:2: error[some_rule]: something is wrong here',
      'two.dot:1:2: error[some_rule]: something is wrong here',
    ]);
  });

  it('never writes a control character of the author, nor a line wider than the terminal', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 400 }),
        fc.nat(400),
        fc.nat(400),
        fc.integer({ min: 40, max: 120 }),
        (text, start, length, width) => {
          const source = new SourceText('a.dot', text);
          const report = (message: string): readonly string[] => {
            const diagnostics = [{ ...base, message, span: { start, end: start + length } }];
            return renderPretty([{ source, diagnostics }], { color: false, width }).split('\n');
          };
          for (const line of report(text)) expect(line).not.toMatch(/\p{Cc}/u);
          for (const line of report('something is wrong here'))
            expect(textColumns(line)).toBeLessThanOrEqual(width);
        },
      ),
    );
  });
});

describe('frameLine', () => {
  it('reads no more of a line than it shows', () => {
    const text = `${'a'.repeat(5_000_000)}X${'b'.repeat(5_000_000)}`;
    const { text: shown, markStart } = frameLine(text, 5_000_000, 5_000_001, 60);
    expect(shown).toHaveLength(60);
    expect(shown[markStart]).toBe('X');
  });

  it('marks exactly the characters of the span, wherever they are', () => {
    const letters = fc.stringMatching(/^[a-z]{0,200}$/);
    fc.assert(
      fc.property(letters, fc.stringMatching(/^[A-Z]{1,10}$/), letters, (before, word, after) => {
        const line = frameLine(before + word + after, before.length, before.length + word.length, 60);
        expect(line.text.slice(line.markStart, line.markStart + line.markWidth)).toBe(word);
      }),
    );
  });
});

function withoutColors(text: string): string {
  return text.replaceAll(/\u001b\[[0-9;]*m/g, '');
}
