import { createRequire } from 'node:module';
import { join } from 'node:path';

/** Where the library lies, below dist/: next to the chunk that asks for it. */
export const regularExpressionsFile = 'chunks/re2js.cjs';

const importer = join('src', 'parser', 'condition', 'pattern.ts');
const rewrites = [
  [
    "import { RE2JS, RE2JSException } from 're2js';",
    "import { createRequire } from 'node:module';\n" +
      "const re2js = () => createRequire(import.meta.url)('./re2js.cjs');",
  ],
  ['RE2JS.compile(', 're2js().RE2JS.compile('],
  ['instanceof RE2JSException', 'instanceof re2js().RE2JSException'],
];

/**
 * A plugin of the bundler: the library of regular expressions, which takes longer to load than a small pipeline to check, is
 * a file of its own that is loaded when the first condition with `matches` is met. What is written in src/ has to be loaded at
 * once, for the core is synchronous and has no `require`.
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
    generateBundle(_, output) {
      const holder = Object.values(output).find(({ moduleIds = [] }) =>
        moduleIds.some((id) => id.endsWith(importer)),
      );
      if (holder === undefined || holder.fileName.startsWith('chunks/')) return;
      throw new Error(`dist/${holder.fileName} would not find ${regularExpressionsFile} next to itself`);
    },
  };
}

/** The library as one file that can be required. */
export async function regularExpressions(root) {
  const { rolldown } = await import('rolldown');
  const build = await rolldown({
    cwd: root,
    input: createRequire(join(root, 'package.json')).resolve('re2js'),
    platform: 'node',
    transform: { target: 'node20' },
  });
  try {
    const { output } = await build.generate({ format: 'cjs', comments: false });
    return { code: output[0].code, moduleIds: output[0].moduleIds };
  } finally {
    await build.close();
  }
}
