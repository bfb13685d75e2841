/** A quoted piece of the author's text, short enough for a message; line breaks become visible. */
export function excerpt(text: string, limit = 60): string {
  const short = text.length > limit ? `${text.slice(0, limit)}…` : text;
  return JSON.stringify(short);
}
