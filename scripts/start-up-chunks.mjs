import { join } from 'node:path';

const alone = '';

/** What the commands share that are called again and again on small files: each file less is a wait less. */
const startingPoints = {
  // No chunk of its own: `attractor --version` loads nothing else.
  [alone]: ['src/cli/main.ts'],
  'command-line': ['src/cli/command-line.ts'],
  language: [
    'src/cli/check-files.ts',
    'src/cli/output/print-findings.ts',
    'src/cli/lint-status.ts',
    'src/diagnostic/render-pretty.ts',
    'src/diagnostic/render-summary.ts',
  ],
};

/** Names of the chunks that these commands load. */
export const startUpGroups = Object.keys(startingPoints).filter((name) => name !== alone);

/**
 * A plugin of the bundler and the groups of modules that it finds: whatever `attractor lint` loads goes into one chunk next to
 * that of the command line, instead of thirty.
 */
export function startUpChunks(root) {
  const groupOf = new Map();
  const plugin = {
    name: 'start-up-chunks',
    buildEnd() {
      for (const [group, files] of Object.entries(startingPoints)) {
        const pending = files.map((file) => join(root, file));
        for (const id of pending) {
          const info = this.getModuleInfo(id);
          if (info === null) throw new Error(`scripts/start-up-chunks.mjs names ${id}, which is not bundled`);
          if (groupOf.has(id)) continue;
          groupOf.set(id, group);
          pending.push(...info.importedIds.filter((imported) => this.getModuleInfo(imported)?.code != null));
        }
      }
    },
  };
  const groups = Object.keys(startingPoints).map((name) => ({
    name,
    test: (id) => groupOf.get(id) === name,
  }));
  return { plugin, groups };
}
