import { describe, expect, it } from 'vitest';
import type { ToPreview } from '../../../../editors/vscode/src/preview/messages.js';
import { nothingShown, received, type Shown } from '../../../../editors/vscode/src/preview/view/shown.js';

const good = 'digraph G { start [shape=Mdiamond] done [shape=Msquare] start -> done }';
const broken = 'digraph G { start [shape= }';

const text = (of: string): ToPreview => ({ kind: 'text', name: 'a.dot', text: of });
const drawn = (of: string): ToPreview => ({ kind: 'drawn', text: of, svg: `<svg>${of.length}</svg>` });

function shownAfter(...messages: readonly ToPreview[]): Shown {
  return messages.reduce(received, nothingShown);
}

describe('the preview', () => {
  it('shows the drawing of its text, with the graph of it', () => {
    const { picture, failure } = shownAfter(text(good), drawn(good));
    expect(picture).toMatchObject({ text: good, svg: `<svg>${good.length}</svg>` });
    expect([...(picture?.graph.nodes.keys() ?? [])]).toEqual(['start', 'done']);
    expect(failure).toBeUndefined();
  });

  it('keeps the last picture while the text is broken', () => {
    const shown = shownAfter(text(good), drawn(good), text(broken), {
      kind: 'not_drawn',
      text: broken,
      reason: 'the text has syntax errors',
    });
    expect(shown.picture?.text).toBe(good);
    expect(shown.compiled?.text).toBe(broken);
    expect(shown.failure).toBe('the text has syntax errors');
  });

  it('forgets a failure with the next picture', () => {
    const failed: ToPreview = { kind: 'not_drawn', text: good, reason: 'too long' };
    expect(shownAfter(text(good), failed).failure).toBe('too long');
    expect(shownAfter(text(good), failed, drawn(good)).failure).toBeUndefined();
  });

  it('takes no drawing and no failure of an earlier text', () => {
    const late = shownAfter(text(good), text(broken), drawn(good), {
      kind: 'not_drawn',
      text: good,
      reason: 'too long',
    });
    expect(late.picture).toBeUndefined();
    expect(late.failure).toBeUndefined();
  });

  it('compiles a text once', () => {
    const first = shownAfter(text(good));
    expect(received(first, text(good))).toBe(first);
  });

  it('shows nothing of a file that is too large, until there is another text', () => {
    const refused = shownAfter({ kind: 'side', side: 'simulator' }, text(good), drawn(good), {
      kind: 'refused',
      name: 'a.dot',
      reason: 'too large',
    });
    expect(refused).toEqual({ ...nothingShown, side: 'simulator', refused: 'too large' });
    expect(received(refused, text(good)).refused).toBeUndefined();
  });
});
