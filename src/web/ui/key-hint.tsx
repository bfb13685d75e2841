/** A key of the keyboard, as on its cap. */
export function KeyHint({ keys }: { readonly keys: string }) {
  return <kbd class="key">{keys}</kbd>;
}
