/** The SHA-256 of a short text, in hexadecimal digits (FIPS 180-4), wherever it runs; for long texts `node:crypto` is faster. */
export function sha256(text: string): string {
  const words = paddedWords(new TextEncoder().encode(text));
  const state = Int32Array.from(initialState);
  const schedule = new Int32Array(64);
  for (let block = 0; block < words.length; block += 16) {
    expand(words, block, schedule);
    compress(state, schedule);
  }
  return Array.from(state, (word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
}

const primes = firstPrimes(64);
const initialState = primes.slice(0, 8).map((prime) => fractionBits(Math.sqrt(prime)));
const constants = primes.map((prime) => fractionBits(Math.cbrt(prime)));

function firstPrimes(count: number): readonly number[] {
  const found: number[] = [];
  for (let number = 2; found.length < count; number += 1) {
    if (found.every((prime) => number % prime !== 0)) found.push(number);
  }
  return found;
}

function fractionBits(value: number): number {
  return ((value - Math.floor(value)) * 2 ** 32) | 0;
}

/** The bytes, a one bit, zeros up to a whole block, and the length in bits. */
function paddedWords(bytes: Uint8Array): Int32Array {
  const words = new Int32Array(((bytes.length + 8) >> 6) * 16 + 16);
  bytes.forEach((byte, index) => {
    words[index >> 2] = (words[index >> 2] ?? 0) | (byte << (24 - (index % 4) * 8));
  });
  const end = bytes.length;
  words[end >> 2] = (words[end >> 2] ?? 0) | (0x80 << (24 - (end % 4) * 8));
  words[words.length - 2] = Math.floor(bytes.length / 2 ** 29);
  words[words.length - 1] = bytes.length << 3;
  return words;
}

function expand(words: Int32Array, block: number, schedule: Int32Array): void {
  for (let index = 0; index < 16; index += 1) schedule[index] = words[block + index] ?? 0;
  for (let index = 16; index < 64; index += 1) {
    const near = schedule[index - 2] ?? 0;
    const far = schedule[index - 15] ?? 0;
    const sigma1 = rotated(near, 17) ^ rotated(near, 19) ^ (near >>> 10);
    const sigma0 = rotated(far, 7) ^ rotated(far, 18) ^ (far >>> 3);
    schedule[index] = sigma1 + (schedule[index - 7] ?? 0) + sigma0 + (schedule[index - 16] ?? 0);
  }
}

function compress(state: Int32Array, schedule: Int32Array): void {
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let round = 0; round < 64; round += 1) {
    const sum1 = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25);
    const choice = (e & f) ^ (~e & g);
    const first = (h + sum1 + choice + (constants[round] ?? 0) + (schedule[round] ?? 0)) | 0;
    const sum0 = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + sum0 + majority) | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((value, index) => {
    state[index] = (state[index] ?? 0) + value;
  });
}

function rotated(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by));
}
