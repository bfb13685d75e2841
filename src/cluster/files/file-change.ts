/** Change of a file of a run since the last durable step. Plain data. */
export type FileChange = { readonly path: string } & (
  | {
      readonly kind: 'stored';
      /** SHA-256 of its content in the store, in hex. */
      readonly sha256: string;
      /** Bytes of that content. */
      readonly size: number;
      /** Set if the content is what was added at the end of the file as it was before. */
      readonly isAdded?: true | undefined;
    }
  /** The content is that of another file as it was before. */
  | { readonly kind: 'same'; readonly as: string }
  /** It is not in the store, for this reason. */
  | { readonly kind: 'left_out'; readonly size: number; readonly reason: string }
  /** The file, or the directory with all that was in it, is gone. */
  | { readonly kind: 'removed' }
);
