import type { TextEdit } from './diagnostic.js';

/** Edits of one text that do not contradict one another. */
export interface EditSet {
  /**
   * Takes up edits that belong together, unless they change nothing, lie outside of the text, or one of them touches what is
   * taken up already. Several insertions at one place contradict one another, unless they are different and of the same origin.
   * @returns whether it did
   */
  add(edits: readonly TextEdit[], origin: string): boolean;
  /** The text after all of them. */
  apply(): string;
}

export function editSet(text: string): EditSet {
  /** By place; insertions stand before a replacement that begins at the same place. */
  const placed: TextEdit[] = [];
  const insertions = new Map<number, { readonly origin: string; readonly texts: Set<string> }>();

  /** How many stand at the place of this edit or before it. */
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

  /** What is taken up does not overlap, so that only the nearest can. */
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
    apply() {
      const pieces: string[] = [];
      let copied = 0;
      for (const edit of placed) {
        pieces.push(text.slice(copied, edit.span.start), edit.text);
        copied = edit.span.end;
      }
      return [...pieces, text.slice(copied)].join('');
    },
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

/** Whether two edits, the first at an earlier place or the same, are about the same text. */
function overlap(first: TextEdit, second: TextEdit): boolean {
  return second.span.start < first.span.end;
}
