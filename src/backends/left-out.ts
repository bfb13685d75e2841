/** First characters of a text, and a line that says how many are left out: never half a character, which servers refuse. */
export function withoutEnd(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const head = headOf(text, longest);
  return `${head}\n${leftOut(text.length - head.length)}`;
}

/** First and last characters of a text, with a line for those in between. */
export function withoutMiddle(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const half = Math.floor(longest / 2);
  const head = headOf(text, half);
  const tail = text.slice(text.length - half).replace(/^[\udc00-\udfff]/, '');
  return `${head}\n${leftOut(text.length - head.length - tail.length)}\n${tail}`;
}

function headOf(text: string, longest: number): string {
  return text.slice(0, longest).replace(/[\ud800-\udbff]$/, '');
}

function leftOut(count: number): string {
  return `[… ${count} characters left out …]`;
}
