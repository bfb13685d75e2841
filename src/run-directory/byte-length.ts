/**
 * Size of a text in UTF-8, in bytes. Node counts without encoding; elsewhere, as in a browser, it is
 * encoded.
 */
export const byteLength: (text: string) => number =
  typeof Buffer === 'undefined' ? (text) => new TextEncoder().encode(text).length : Buffer.byteLength;
