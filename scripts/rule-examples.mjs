import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const expectation = /[ \t]*\/\/~.*$/gm;
const emptied = /^[ \t]*\/\/~.*\n/gm;

/**
 * The fixtures of the rules as text, which `attractor explain` carries along: of each rule a pipeline that it complains about
 * and one that it does not, the simplest by its name, as `{ rule: { bad, good } }` in JSON.
 */
export function ruleExamples(root) {
  const folder = join(root, 'fixtures/lint');
  const rules = readdirSync(folder).sort();
  return JSON.stringify(Object.fromEntries(rules.map((rule) => [rule, examplesOf(join(folder, rule))])));
}

function examplesOf(folder) {
  const names = readdirSync(folder)
    .filter((name) => name.endsWith('.dot'))
    .sort((one, other) => one.length - other.length || (one < other ? -1 : 1));
  const read = (kind) => {
    const name = names.find((file) => file.startsWith(kind));
    if (name === undefined) return undefined;
    return readFileSync(join(folder, name), 'utf8').replaceAll(emptied, '').replaceAll(expectation, '');
  };
  return { bad: read('bad'), good: read('good') };
}
