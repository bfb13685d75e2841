import type { TextEdit } from './diagnostic.js';
import type { Span } from './source.js';

/** Edits of one text that do not contradict one another. */
export interface EditSet {
  /**
   * Adds edits that belong together, unless they change nothing, lie outside of the text, or one of them
   * touches an edit added before. Several insertions at one offset conflict, unless they differ and have
   * the same origin.
   * @returns true if they were added
   */
  add(edits: readonly TextEdit[], origin: string): boolean;
  /** The text with all edits applied. */
  apply(): string;
  /** A part of the text with the edits in it applied. */
  textOf(span: Span): string;
}

export function editSet(text: string): EditSet {
  /** Edits by offset; an insertion precedes a replacement that begins at the same offset. */
  const placed: TextEdit[] = [];
  const insertions = new Map<number, { readonly origin: string; readonly texts: Set<string> }>();

  /** Number of edits at or before the offset of this one. */
  function positionOf(edit: TextEdit): number {
    let low = 0;
    let high = placed.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = placed[middle];
      if (other !== undefined && comparePlaces(other, edit) <= 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** True if an edit overlaps none that was added; only the two nearest can overlap. */
  function fits(edit: TextEdit, origin: string): boolean {
    const position = positionOf(edit);
    const before = placed[position - 1];
    const next = placed[position];
    if ((before && overlap(before, edit)) || (next && overlap(edit, next))) return false;
    const others = isInsertion(edit) ? insertions.get(edit.span.start) : undefined;
    return others === undefined || (others.origin === origin && !others.texts.has(edit.text));
  }

  function place(edit: TextEdit, origin: string): void {
    placed.splice(positionOf(edit), 0, edit);
    if (!isInsertion(edit)) return;
    const others = insertions.get(edit.span.start);
    if (others === undefined) insertions.set(edit.span.start, { origin, texts: new Set([edit.text]) });
    else others.texts.add(edit.text);
  }

  function applied({ start, end }: Span): string {
    const pieces: string[] = [];
    let copied = start;
    for (const edit of placed) {
      if (edit.span.start < start || edit.span.end > end) continue;
      pieces.push(text.slice(copied, edit.span.start), edit.text);
      copied = edit.span.end;
    }
    return [...pieces, text.slice(copied, end)].join('');
  }

  return {
    add(edits, origin) {
      if (edits.every((edit) => changesNothing(edit, text))) return false;
      if (!edits.every(({ span }) => 0 <= span.start && span.start <= span.end && span.end <= text.length))
        return false;
      const added = edits.toSorted(comparePlaces);
      const isSound = added.every((edit, index) => {
        const before = added[index - 1];
        return (before === undefined || !overlap(before, edit)) && fits(edit, origin);
      });
      if (!isSound) return false;
      for (const edit of added) place(edit, origin);
      return true;
    },
    apply: () => applied({ start: 0, end: text.length }),
    textOf: applied,
  };
}

function comparePlaces({ span: one }: TextEdit, { span: other }: TextEdit): number {
  return one.start - other.start || one.end - other.end;
}

function isInsertion({ span }: TextEdit): boolean {
  return span.start === span.end;
}

function changesNothing({ span, text: replacement }: TextEdit, text: string): boolean {
  return text.slice(span.start, span.end) === replacement;
}

/** True if the second edit, at the same offset as the first or a later one, touches the same text. */
function overlap(first: TextEdit, second: TextEdit): boolean {
  return second.span.start < first.span.end;
}
