import type { Redactor } from '../secrets/redactor.js';
import type { RunInputs } from './read-inputs.js';

/** Inputs of a run without secrets (SEMANTICS 97, DESIGN §4): they are stored, and any stage may use them. */
export function redactedInputs({ values, truncatedInputs }: RunInputs, redactor: Redactor): RunInputs {
  const clean = redactor.json(values);
  if (clean === values) return { values, truncatedInputs };
  const hidden = Object.entries(values).filter(([key, value]) => {
    const entry = { [key]: value };
    return redactor.json(entry) !== entry;
  });
  const remarks = hidden.map(
    ([key]) =>
      `the input "${redactor.text(key)}" contains a secret, which is never written to disk: it is replaced with "[redacted:…]", also for tools. A tool can read it from its environment, by the name of the variable`,
  );
  return { values: clean, truncatedInputs: [...truncatedInputs, ...remarks] };
}
