import { sha256 as hash } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

/** SHA-256 of a text in UTF-8, in hexadecimal digits; synchronous, and on every platform. */
export function sha256(text: string): string {
  return bytesToHex(hash(utf8ToBytes(text)));
}
