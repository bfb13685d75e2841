/** Numbers of a semantic token: its line and column, relative to the token before, its length, type and modifiers. */
const numbersOfToken = 5;

/** Semantic tokens, as the protocol encodes them, without those of one type. */
export function withoutType(data: Uint32Array, type: number): Uint32Array {
  const kept: number[] = [];
  let [lines, columns] = [0, 0];
  for (let at = 0; at + numbersOfToken <= data.length; at += numbersOfToken) {
    const [line = 0, column = 0, length = 0, own = 0, modifiers = 0] = data.subarray(at, at + numbersOfToken);
    columns = line > 0 ? column : columns + column;
    lines += line;
    if (own === type) continue;
    kept.push(lines, columns, length, own, modifiers);
    [lines, columns] = [0, 0];
  }
  return Uint32Array.from(kept);
}
