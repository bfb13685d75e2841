/**
 * What libraries load of Node when they are loaded themselves, or work out beforehand, and hardly ever need: with all that belongs to
 * it, that takes a tenth of the time in which a small pipeline is checked. By the end of a file's path, what is replaced in it by what.
 */
const replacements = [
  [
    '/commander/lib/command.js',
    [
      // For commands that are programs of their own, which none is here.
      ["const childProcess = require('node:child_process');\n", ''],
      ['childProcess.', "require('node:child_process')."],
      // Requiring it, unlike naming it, makes it open the standard streams.
      ["const process = require('node:process');\n", ''],
    ],
  ],
  [
    '/chevrotain/lib/src/scan/lexer.js',
    // A table of the buckets of all 65 536 characters, for the few beyond 255. It takes 1 to 2 ms of the 30 that lint takes.
    [
      [': charCodeToOptimizedIdxMap[charCode];', ': 255 + ~~(charCode / 255);'],
      ['if (isEmpty(charCodeToOptimizedIdxMap)) {', 'if (false) {'],
    ],
  ],
  [
    '/chevrotain/lib/src/parse/parser/utils/apply_mixins.js',
    // V8 copies a list of all methods of a class for each one that is added to them: 200 of the parser take 4 % of the time that lint
    // takes. To an object that has had no prototype they are added without.
    [[/^[\s\S]*$/, mixedIn.toString().replace('function mixedIn', 'export function applyMixins')]],
  ],
  [
    '/chalk/source/vendor/supports-color/index.js',
    // Whoever makes a Chalk here says whether it colours.
    [[/^[\s\S]*$/, 'export default { stdout: false, stderr: false };\n']],
  ],
];

/** Gives the instances of a class the methods of others. */
function mixedIn(derived, bases) {
  const methods = Object.create(null);
  for (const { prototype } of bases)
    for (const name of Object.getOwnPropertyNames(prototype))
      if (name !== 'constructor')
        Object.defineProperty(methods, name, Object.getOwnPropertyDescriptor(prototype, name));
  Object.setPrototypeOf(methods, Object.prototype);
  Object.setPrototypeOf(derived.prototype, methods);
}

/** A plugin of the bundler. */
export function lateBuiltIns() {
  return {
    name: 'late-built-ins',
    transform(code, id) {
      const path = id.replaceAll('\\', '/');
      const [file, changes] = replacements.find(([end]) => path.endsWith(end)) ?? [];
      return changes?.reduce((text, [from, to]) => {
        const changed = text.replaceAll(from instanceof RegExp ? new RegExp(from, 'g') : from, to);
        if (changed === text) throw new Error(`${file} should contain ${from}`);
        return changed;
      }, code);
    },
  };
}
