import { join } from 'node:path';

/**
 * What the parser library finds when it analyses the grammars, as JSON by the name of the language: the bundles carry it
 * along, for the analysis takes longer than most pipelines (see src/parser/lookahead/).
 */
export async function parserDecisions(root) {
  const { rolldown } = await import('rolldown');
  const build = await rolldown({
    cwd: root,
    input: join(root, 'src/parser/lookahead/decisions-of-grammars.ts'),
    platform: 'node',
    tsconfig: 'tsconfig.json',
    transform: { target: 'node20', define: { __ATTRACTOR_DECISIONS__: 'undefined' } },
  });
  try {
    const { output } = await build.generate({ format: 'esm', comments: false });
    const code = Buffer.from(output[0].code).toString('base64');
    const { decisionsOfGrammars } = await import(`data:text/javascript;base64,${code}`);
    return JSON.stringify(decisionsOfGrammars());
  } finally {
    await build.close();
  }
}
