import type { Redactor } from './redactor.js';

/** Text of a pipeline that may be kept, with a notice for the user. */
export interface RedactedSource {
  readonly text: string;
  /** Undefined if there was no secret. */
  readonly notice?: string;
}

/**
 * Removes secrets from the text of a pipeline: the text is kept, drawn and sent to models (DESIGN §4). Use
 * the result as the pipeline from there on, so that a resumed run has the same one.
 */
export function redactedSource(source: string, redactor: Redactor): RedactedSource {
  const text = redactor.text(source);
  if (text === source) return { text };
  const lines = source
    .split('\n')
    .flatMap((line, index) => (redactor.text(line) === line ? [] : [index + 1]));
  const where = lines.length === 0 ? '' : ` in line ${lines.join(', ')}`;
  const names = [...new Set(Array.from(text.matchAll(/\[redacted:([^\]]*)\]/g), ([, name]) => name))];
  return {
    text,
    notice: `the pipeline holds a secret${where} (${names.join(', ')}), which no run writes down: "[redacted:…]" stands in its place, also for tools. Take it out of the file; a tool finds it in its environment, by the name of the variable`,
  };
}
