/** Visible rows of a long list: the others need no elements. */
export interface RowsInView {
  readonly first: number;
  /** The row after the last one. */
  readonly end: number;
}

/** The rows of equal height between two heights of a list that scrolls, with some more on either side. */
export function rowsInView(
  count: number,
  { top, height, rowHeight }: { readonly top: number; readonly height: number; readonly rowHeight: number },
  margin = 8,
): RowsInView {
  const first = Math.floor(Math.max(0, top) / rowHeight) - margin;
  const end = Math.ceil((Math.max(0, top) + height) / rowHeight) + margin;
  const clamped = Math.min(Math.max(0, end), count);
  return { first: Math.min(Math.max(0, first), clamped), end: clamped };
}
