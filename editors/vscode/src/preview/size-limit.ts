/** Longest text that is shown while it is written, in characters: some 10 000 nodes. */
export const longestShown = 1_000_000;

/** Reason why a text of this length is not shown; undefined for one that is. */
export function refusalOf(length: number): string | undefined {
  if (length <= longestShown) return undefined;
  const megabytes = (length / 1_000_000).toFixed(1);
  return `This file has ${megabytes} million characters; the preview shows up to ${longestShown / 1_000_000} million. Draw it with: attractor render`;
}
