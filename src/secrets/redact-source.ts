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
    notice: `the pipeline contains a secret${where} (${names.join(', ')}), which is never written to disk: it is replaced with "[redacted:…]", also for tools. Remove it from the file; a tool can read it from its environment, by the name of the variable`,
  };
}
