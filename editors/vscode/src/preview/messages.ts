/** Messages of the extension to its preview. */
export type ToPreview =
  /** The text, after each change. */
  | { readonly kind: 'text'; readonly name: string; readonly text: string }
  /** A file that is too large to be shown; `reason` says so. */
  | { readonly kind: 'refused'; readonly name: string; readonly reason: string }
  /** Drawing of a text, as SVG. */
  | { readonly kind: 'drawn'; readonly text: string; readonly svg: string }
  /** Reason why a text has no drawing. */
  | { readonly kind: 'not_drawn'; readonly text: string; readonly reason: string }
  /** Offset of the cursor. */
  | { readonly kind: 'cursor'; readonly offset: number }
  | { readonly kind: 'side'; readonly side: PreviewSide }
  | { readonly kind: 'theme'; readonly theme: 'light' | 'dark' };

export const previewSides = ['picture', 'simulator'] as const;

export type PreviewSide = (typeof previewSides)[number];

/** Messages of the preview to its extension. */
export type FromPreview =
  /** It listens, and knows nothing yet. */
  | { readonly kind: 'ready' }
  /** A node was chosen, whose id stands at this offset. */
  | { readonly kind: 'open'; readonly offset: number };

/** Message of a preview, which may be anything; undefined for one that is none of ours. */
export function readFromPreview(sent: unknown): FromPreview | undefined {
  if (typeof sent !== 'object' || sent === null || !('kind' in sent)) return undefined;
  if (sent.kind === 'ready') return { kind: 'ready' };
  if (sent.kind !== 'open' || !('offset' in sent)) return undefined;
  const { offset } = sent;
  return typeof offset === 'number' && Number.isInteger(offset) && offset >= 0
    ? { kind: 'open', offset }
    : undefined;
}
