import { join } from 'node:path';

const importer = join('src', 'parser', 'condition', 'pattern.ts');
const rewrites = [
  ["import { RE2JS, RE2JSException } from 're2js';", "const re2js = () => require('re2js');"],
  ['RE2JS.compile(', 're2js().RE2JS.compile('],
  ['instanceof RE2JSException', 'instanceof re2js().RE2JSException'],
];

/**
 * A plugin of the bundler: the library of regular expressions, whose tables take longer to set up than a small pipeline to
 * check, is evaluated when the first condition with `matches` is met. What is written in src/ has to be loaded at once, for
 * the core is synchronous and has no `require`.
 */
export function lateRegularExpressions() {
  return {
    name: 'late-regular-expressions',
    transform(code, id) {
      if (!id.endsWith(importer)) return undefined;
      return rewrites.reduce((text, [from, to]) => {
        if (text.split(from).length !== 2) throw new Error(`${importer} should contain \`${from}\` once`);
        return text.replace(from, to);
      }, code);
    },
  };
}
