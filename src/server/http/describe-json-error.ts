import { SourceText } from '../../diagnostic/source.js';

/** Problem of a text that is not JSON, with its line and column if the parser gives a position. */
export function describeJsonError(error: unknown, text: string): string {
  if (!(error instanceof SyntaxError)) return 'it is nested too deeply';
  const [what = '', offset] = placed(error.message);
  const place = offset ?? (/end of JSON input/.test(what) ? text.length : undefined);
  if (place === undefined) return what;
  const { line, column } = new SourceText('', text).positionAt(Math.min(place, text.length));
  return `${what} at line ${line}, column ${column}`;
}

/** V8 says `… in JSON at position 5 (line 1 column 6)`, or shows a piece of the text instead. */
function placed(message: string): readonly [what: string, offset: number | undefined] {
  const found = /^(.*?)(?: in JSON)? at position (\d+)/s.exec(message);
  if (found === null) return [message, undefined];
  return [found[1] ?? message, Number(found[2])];
}
