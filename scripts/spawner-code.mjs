import { join } from 'node:path';

/**
 * The program of the spawner as one script, which the library carries along as text (see spawner-code.ts in
 * src/handlers/tools).
 */
export async function spawnerCode(root) {
  const { rolldown } = await import('rolldown');
  const build = await rolldown({
    cwd: root,
    input: join(root, 'src/handlers/tools/spawner-process.ts'),
    platform: 'node',
    tsconfig: 'tsconfig.json',
    transform: { target: 'node20' },
  });
  try {
    // As small as can be: it is an argument of `node --eval`.
    const { output } = await build.generate({ format: 'cjs', minify: true, comments: false });
    return output[0].code;
  } finally {
    await build.close();
  }
}
