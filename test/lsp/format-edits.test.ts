import { describe, expect, it } from 'vitest';
import { editSet } from '../../src/diagnostic/edit-set.js';
import { format } from '../../src/format/format.js';
import { formatEdits, formatTyped } from '../../src/lsp/services/format/format-edits.js';
import { lineEdits } from '../../src/lsp/services/format/line-edits.js';
import { PipelineText } from '../../src/lsp/services/text/pipeline-text.js';
import { fc } from '../support/fast-check.js';
import { atCursor } from './cursor.js';

const messy = `digraph G {
  a   [label = "x"]
  b   [label = "y"]
  a->b
}
`;

function applied(text: string, edits: ReturnType<typeof lineEdits>): string {
  const set = editSet(text);
  if (edits.length > 0) set.add(edits, 'format');
  return set.apply();
}

describe('formatting', () => {
  it('brings the whole text into its canonical form', () => {
    const pipeline = new PipelineText('main.dot', messy);
    expect(applied(messy, formatEdits(pipeline))).toBe(format(messy).text);
  });

  it('leaves a text with syntax errors alone', () => {
    expect(formatEdits(new PipelineText('main.dot', 'digraph G { a [ }'))).toEqual([]);
  });

  it('changes only the lines of a range', () => {
    const pipeline = new PipelineText('main.dot', 'digraph G {\n  a\n    b\n  c\n    d\n}\n');
    const edits = formatEdits(pipeline, { start: 24, end: 25 });
    const after = applied(pipeline.text, edits);
    expect(after).toContain('    c\n');
    expect(after).toContain('\n  a\n');
  });

  it.each([
    [
      'the statement that a bracket has closed',
      'digraph G {\n  a\n  b [label = "x"]<|>\n}\n',
      '    b [label="x"]\n',
      '  a\n',
    ],
    ['nothing while it is open', 'digraph G {\n  a\n  b [label = "x"<|>\n}\n', '  b [label = "x"\n', '  a\n'],
  ])('formats %s', (_name, marked, formatted, kept) => {
    const { pipeline, offset } = atCursor(marked);
    const after = applied(pipeline.text, formatTyped(pipeline, offset));
    expect(after).toContain(formatted);
    expect(after).toContain(kept);
  });
});

describe('edits of lines', () => {
  it('make the one text of the other, whatever they are', () => {
    const texts = fc.array(fc.constantFrom('a\n', 'b\n', '\r\n', 'c', '')).map((lines) => lines.join(''));
    fc.assert(
      fc.property(texts, texts, (before, after) => {
        expect(applied(before, lineEdits(before, after))).toBe(after);
      }),
    );
  });
});
