import type { Redactor } from './redactor.js';

/** The text of a pipeline as it may be kept, and what a person should know of it. */
export interface RedactedSource {
  readonly text: string;
  /** Undefined where there was no secret. */
  readonly notice?: string;
}

/**
 * The text of a pipeline without the secrets that somebody has written into it: it is kept, drawn and sent to models
 * (DESIGN §4). It is to be taken for the pipeline from there on, so that a run that continues has the same one.
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
