import { foundText } from '../graph/values/found-text.js';

/**
 * Name of a file of a stage (§5.6), if it is one in the directory of that stage. `status.json` is allowed:
 * a handler may report by that file alone (SEMANTICS 59b).
 * @throws TypeError for anything else, which would be a file of another stage, or of none
 */
export function plainName(name: unknown): string {
  const isPlain = typeof name === 'string' && !['', '.', '..'].includes(name) && !/[/\\\0]/.test(name);
  if (isPlain) return name;
  throw new TypeError(
    `a file of a stage cannot be called ${foundText(name)}; expected a name without a directory, such as "notes.md"`,
  );
}
