import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { styleSheets, withoutComments } from './bundle-web.mjs';

const sources = 'editors/vscode/src';

/**
 * Bundles the code of the VS Code extension with all its dependencies: `extension.cjs`, which the editor loads, and the page of its
 * preview, one script and one style sheet.
 * Returns the content of each file by its path in the extension, and the ids of the modules that went in.
 */
export async function bundleVscode(root, define) {
  const extension = await generate(
    {
      cwd: root,
      input: { extension: `${sources}/extension.ts` },
      platform: 'node',
      tsconfig: 'tsconfig.json',
      transform: { target: 'node22', define },
      external: (id) => id === 'vscode' || isBuiltin(id),
    },
    { format: 'cjs', entryFileNames: '[name].cjs' },
  );
  const styles = new Map();
  const order = [];
  const entry = `${sources}/preview/view/main.tsx`;
  const preview = await generate(
    {
      cwd: root,
      input: { preview: entry },
      platform: 'browser',
      tsconfig: 'tsconfig.web.json',
      transform: { target: 'es2022', define },
      plugins: [styleSheets(join(root, entry), styles, order)],
    },
    { format: 'esm', entryFileNames: 'preview/[name].js', minify: true },
  );
  const css = withoutComments(order.map((id) => styles.get(id) ?? '').join('\n'));
  return {
    files: new Map([...extension.files, ...preview.files, ['preview/preview.css', css]]),
    moduleIds: new Set([...extension.moduleIds, ...preview.moduleIds]),
  };
}

async function generate(options, output) {
  const { rolldown } = await import('rolldown');
  const bundled = await rolldown({ ...options, checks: { ineffectiveDynamicImport: false } });
  try {
    const { output: chunks } = await bundled.generate({
      ...output,
      comments: false,
      // The page and the extension are one file each.
      codeSplitting: false,
    });
    return {
      files: new Map(chunks.map(({ fileName, code }) => [fileName, code])),
      moduleIds: chunks.flatMap(({ moduleIds = [] }) => moduleIds),
    };
  } finally {
    await bundled.close();
  }
}
