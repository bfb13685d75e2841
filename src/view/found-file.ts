/** File of a run that a client asked for. */
export type FoundFile =
  | { readonly kind: 'found'; readonly data: Buffer /** Bytes of the whole file. */; readonly size: number }
  /** It does not exist. */
  | { readonly kind: 'missing'; readonly message: string }
  /** It exists, but is not a part of this run. */
  | { readonly kind: 'refused'; readonly message: string };
