/** A message of an event stream. */
export interface SseMessage {
  readonly id: string | undefined;
  /** `message` where the stream names none. */
  readonly event: string;
  readonly data: string;
}

/**
 * Parser of an event stream (SSE), which takes pieces of any size and returns the messages that are
 * complete. The browser's EventSource does not suffice: it delivers named events only to listeners for all
 * names, hides the reason of a refusal, and cannot begin after a known event.
 */
export function sseParser(): (piece: string) => readonly SseMessage[] {
  let rest = '';
  let id: string | undefined;
  let event = '';
  let data: string[] = [];
  const line = (text: string): SseMessage | undefined => {
    if (text === '') return finish();
    const [, name = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(text) ?? [];
    if (name === 'id' && !value.includes('\0')) id = value;
    else if (name === 'event') event = value;
    else if (name === 'data') data.push(value);
    return undefined;
  };
  const finish = (): SseMessage | undefined => {
    const message = data.length === 0 ? undefined : { id, event: event || 'message', data: data.join('\n') };
    event = '';
    data = [];
    return message;
  };
  return (piece) => {
    const text = rest + piece;
    // A carriage return at the end may be half of a line break.
    const end = text.endsWith('\r') ? text.length - 1 : text.length;
    const lines = text.slice(0, end).split(/\r\n|\n|\r/);
    rest = (lines.pop() ?? '') + text.slice(end);
    return lines.map(line).filter((message) => message !== undefined);
  };
}
