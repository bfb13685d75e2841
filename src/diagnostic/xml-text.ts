/** Characters that XML 1.0 does not allow, not even escaped. */
const forbidden = /[^\t\n\r -\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

/** Text between the tags of an XML document; control characters become their pictures. */
export function xmlText(text: string): string {
  return text
    .replace(forbidden, (character) => {
      const code = character.charCodeAt(0);
      return code < 0x20 ? String.fromCharCode(0x2400 + code) : '\ufffd';
    })
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('\r', '&#13;');
}

/** Value of an XML attribute, for double quotes; its line breaks stay what they are. */
export function xmlAttribute(text: string): string {
  return xmlText(text).replaceAll('"', '&quot;').replaceAll('\n', '&#10;').replaceAll('\t', '&#9;');
}
