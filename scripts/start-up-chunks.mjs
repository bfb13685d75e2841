import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const commands = 'src/cli/commands';
const alone = '';
const commandLine = 'command-line';
const language = 'language';

/**
 * What the commands share that are called again and again on small files: each file less is a wait less, and so is each function
 * less, of which V8 reads something whether it is called or not.
 */
function startingPoints(root) {
  const lint = `${commands}/lint.ts`;
  const others = readdirSync(join(root, commands)).map((name) => `${commands}/${name}`);
  return {
    // No chunk of its own: `attractor --version` loads nothing else.
    [alone]: ['src/cli/main.ts'],
    [commandLine]: ['src/cli/command-line.ts', lint],
    // All but lint, which is called more often than all others, by editors and hooks.
    commands: others.filter((file) => file !== lint && !file.endsWith('/index.ts')),
    [language]: [
      'src/cli/check-files.ts',
      'src/cli/output/print-findings.ts',
      'src/cli/output/findings-text.ts',
      'src/cli/output/summarized-findings.ts',
      'src/cli/lint-status.ts',
      'src/diagnostic/render-pretty.ts',
      'src/diagnostic/render-summary.ts',
    ],
  };
}

/** Names of the chunks that these commands load. */
export const startUpGroups = [commandLine, 'commands', language];

/**
 * A plugin of the bundler and the groups of modules that it finds: whatever `attractor lint` loads goes into one chunk next to
 * that of the command line, instead of thirty. That of the command line has what the two others share, too.
 */
export function startUpChunks(root) {
  const points = Object.entries(startingPoints(root));
  const groupOf = new Map();
  const plugin = {
    name: 'start-up-chunks',
    buildEnd() {
      for (const [group, files] of points) {
        const paths = files.map((file) => join(root, file));
        for (const id of reachedFrom(paths, this)) {
          const known = groupOf.get(id);
          groupOf.set(id, known === undefined ? group : known === alone ? alone : commandLine);
        }
      }
      assertNoParser(groupOf);
    },
  };
  const groups = points.map(([name]) => ({ name, test: (id) => groupOf.get(id) === name }));
  return { plugin, groups };
}

/** The parsers take longest to load: a command that only looks at a run, and help, would wait for them. */
function assertNoParser(groupOf) {
  const [id, group] =
    [...groupOf].find(([path, name]) => path.includes('/chevrotain/') && name !== language) ?? [];
  if (id !== undefined)
    throw new Error(
      `${id} would lie in the chunk ${group}: import the file in ${commands} that leads to it late`,
    );
}

/** Ids of the modules that are loaded with these. */
function reachedFrom(ids, bundler) {
  const reached = new Set(ids);
  for (const id of reached) {
    const info = bundler.getModuleInfo(id);
    if (info === null) throw new Error(`scripts/start-up-chunks.mjs names ${id}, which is not bundled`);
    for (const imported of info.importedIds)
      if (bundler.getModuleInfo(imported)?.code != null) reached.add(imported);
  }
  return reached;
}
