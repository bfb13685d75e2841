/** A comment as it stands between two parts of a text (§2.3). */
export interface Remark {
  readonly kind: 'line' | 'block';
  /** With its delimiters, without blanks at the ends of its lines, which end in `\n`. */
  readonly text: string;
  /** True if a line ends between it and whatever precedes it: a comment, a sign or a part. */
  readonly startsLine: boolean;
  /** True if the line ends between it and the next comment or part, whatever signs are between them. */
  readonly endsLine: boolean;
  /** True if an empty line precedes it. */
  readonly afterBlankLine: boolean;
  /** True if one of the signs `,` and `;` follows before the next part. */
  readonly beforeSign: boolean;
}

/** Comments between two parts of a text; everything else between them is blanks and signs. */
export interface Gap {
  readonly remarks: readonly Remark[];
  /** True if an empty line precedes the part after the gap. */
  readonly endsInBlankLine: boolean;
}

/** Gap without comments. */
export const EMPTY_GAP: Gap = { remarks: [], endsInBlankLine: false };

const BLANK_LINE: Gap = { remarks: [], endsInBlankLine: true };

/** Reads the blanks, comments and signs from one offset to another. */
export function readGap(text: string, start: number, end: number): Gap {
  if (end - start < 2) return EMPTY_GAP;
  let drafts: Draft[] | undefined;
  let breaks = 0;
  let index = start;
  while (index < end) {
    const code = text.charCodeAt(index);
    if (code === SLASH) {
      const stop = endOfComment(text, index, end);
      drafts ??= [];
      drafts.push(draftOf(text, index, stop, breaks));
      breaks = 0;
      index = stop;
      continue;
    }
    if (code === LINE_FEED || (code === CARRIAGE_RETURN && text.charCodeAt(index + 1) !== LINE_FEED)) {
      breaks += 1;
      const last = drafts?.at(-1);
      if (last !== undefined) last.endsLine = true;
    } else if (!isBlank(code)) {
      breaks = 0;
      if (drafts !== undefined) markBeforeSign(drafts);
    }
    index += 1;
  }
  if (drafts === undefined) return breaks > 1 ? BLANK_LINE : EMPTY_GAP;
  return { remarks: drafts, endsInBlankLine: breaks > 1 };
}

/** Offset of the next `sign` from an offset on, comments skipped; the length of the text if there is none. */
export function findSign(text: string, offset: number, sign: string): number {
  let index = offset;
  while (index < text.length && text[index] !== sign) {
    index = text.charCodeAt(index) === SLASH ? endOfComment(text, index, text.length) : index + 1;
  }
  return index;
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SLASH = 0x2f;
const STAR = 0x2a;

type Draft = { -readonly [Key in keyof Remark]: Remark[Key] };

function draftOf(text: string, start: number, end: number, breaks: number): Draft {
  return {
    kind: text.charCodeAt(start + 1) === STAR ? 'block' : 'line',
    text: textOf(text.slice(start, end)),
    startsLine: breaks > 0,
    endsLine: false,
    afterBlankLine: breaks > 1,
    beforeSign: false,
  };
}

/** Marks the comments since the last sign; those before it are marked already. */
function markBeforeSign(drafts: readonly Draft[]): void {
  for (let each = drafts.length - 1; each >= 0; each -= 1) {
    const draft = drafts[each];
    if (draft === undefined || draft.beforeSign) return;
    draft.beforeSign = true;
  }
}

function textOf(comment: string): string {
  if (!/[\r\n]/.test(comment)) return comment.trimEnd();
  return comment
    .split(/\r\n?|\n/)
    .map((line) => line.trimEnd())
    .join('\n');
}

function endOfComment(text: string, start: number, limit: number): number {
  if (text.charCodeAt(start + 1) === STAR) {
    const close = text.indexOf('*/', start + 2);
    return close === -1 ? limit : close + 2;
  }
  let index = start + 2;
  while (index < limit) {
    const code = text.charCodeAt(index);
    if (code === LINE_FEED || code === CARRIAGE_RETURN) break;
    index += 1;
  }
  return index;
}

function isBlank(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d) || code === 0xfeff;
}
