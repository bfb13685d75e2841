/** Values of secret variables that are placeholders or common words: hiding them would hide too much. */
const publicWords: ReadonlySet<string> = new Set([
  ...['undefined', 'disabled', 'required', 'optional', 'anonymous', 'placeholder', 'changeme', 'change-me'],
  ...['development', 'production', 'internal', 'external', 'password', 'redacted', 'keychain', 'insecure'],
  ...['not-needed', 'not-required', 'unlimited', 'localhost', 'automatic', 'not_needed', 'your-api-key'],
]);

/** True if a value is obviously not a secret, whatever the name of its variable. */
export function isPublicValue(value: string): boolean {
  return (
    publicWords.has(value.toLowerCase()) || /^(.)\1*$/s.test(value) || isPath(value) || isPlainAddress(value)
  );
}

/** True for 16 or more characters of those that keys consist of, digits and letters among them. */
export function looksRandom(value: string): boolean {
  return value.length >= 16 && /^[\w+/=.-]+$/.test(value) && /[0-9]/.test(value) && /[A-Za-z]/.test(value);
}

function isPath(value: string): boolean {
  if (/^(?:~|\.{1,2})[/\\][^\s:]*$/.test(value) || /^[A-Za-z]:[/\\]/.test(value)) return true;
  // A key in base64 may begin with a slash, and have more of them.
  return /^(?:\/[\w.@+-]+)+\/?$/.test(value) && !value.split('/').some(isMixed);
}

function isMixed(text: string): boolean {
  return text.length >= 8 && /[0-9]/.test(text) && /[a-z]/.test(text) && /[A-Z]/.test(text);
}

function isPlainAddress(value: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\/[^\s@?#]+$/i.test(value) && !value.split('/').some(isMixed);
}
