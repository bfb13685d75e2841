import { describe, expect, it } from 'vitest';
import type { Diagnostic } from '../../src/diagnostic/diagnostic.js';
import { frameLine } from '../../src/diagnostic/frame-line.js';
import { renderPretty } from '../../src/diagnostic/render-pretty.js';
import { SourceText } from '../../src/diagnostic/source.js';
import { textCells } from '../../src/diagnostic/text-cells.js';
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
  it('shows the worst thousand of a file, in the order of the text, and says how many there are besides', () => {
    const source = new SourceText('pipeline.dot', 'x\n'.repeat(1502));
    const diagnostics = Array.from({ length: 1502 }, (_, line): Diagnostic => {
      const severity = line === 1400 ? 'error' : line % 2 === 0 ? 'info' : 'warning';
      return { ...base, severity, span: { start: 2 * line, end: 2 * line + 1 } };
    });
    const text = renderPretty([{ source, diagnostics }], { color: false });
    const shown = [...text.matchAll(/^pipeline\.dot:(\d+):1: (\w+)/gm)].map(([, line]) => Number(line));
    expect(shown).toHaveLength(1000);
    expect(shown).toContain(1401);
    expect(shown.filter((line) => line % 2 === 0)).toHaveLength(751);
    expect(shown).toEqual(shown.toSorted((one, other) => one - other));
    expect(text).toMatch(
      /\n\npipeline\.dot: and 502 other findings: `attractor lint --format json` lists all\n\n$/,
    );
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
          const diagnostics = [{ ...base, message: text, span: { start, end: start + length } }];
          const [, ...frame] = renderPretty([{ source, diagnostics }], { color: false, width }).split('\n');
          for (const line of frame) {
            expect(line).not.toMatch(/\p{Cc}/u);
            expect(textCells(line).reduce((sum, cell) => sum + cell.width, 0)).toBeLessThanOrEqual(width);
          }
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
