/** A file of a run, for whoever asked for it by what a client said. */
export type FoundFile =
  | { readonly kind: 'found'; readonly data: Buffer /** Bytes of the whole file. */; readonly size: number }
  /** There is no such thing. */
  | { readonly kind: 'missing'; readonly message: string }
  /** It is there, but nothing of this run. */
  | { readonly kind: 'refused'; readonly message: string };
