const unsafe = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/**
 * Text that is safe for a terminal: control characters, and those that change the direction of writing,
 * become visible, so that no pipeline can steer the terminal or hide what it says.
 */
export function printable(text: string): string {
  return text.replace(unsafe, visible);
}

/** Like `printable`, for a text of several lines: line breaks and tabs stay. */
export function printableLines(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replace(unsafe, (character) =>
      character === '\n' || character === '\t' ? character : visible(character),
    );
}

/** Like `printable`, for JSON: characters become JSON escapes, so that programs read the same value. */
export function printableJson(json: string): string {
  return json.replace(unsafe, (character) => {
    const code = character.charCodeAt(0);
    // JSON has escaped the control characters already, except the line breaks between its parts.
    return code < 0x20 ? character : `\\u${code.toString(16).padStart(4, '0')}`;
  });
}

function visible(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? '\u2421' : '\ufffd';
}
