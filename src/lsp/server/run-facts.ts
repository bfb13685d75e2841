import { existsSync } from 'node:fs';
import path from 'node:path';
import type { LensFacts } from '../services/code-lenses.js';

/** Maximum of runs that are looked at, the newest first. */
const mostRuns = 200;

/**
 * Facts about the runs of a pipeline, in the nearest directory above it that has runs.
 * @param name name of its graph
 */
export async function runFacts(file: string, name: string): Promise<LensFacts> {
  const { runIds, runsHome } = await import('../../setup/find-run.js');
  const { summarizeRun } = await import('../../view/summarize-run.js');
  const base = file.slice(0, -path.extname(file).length);
  const hasTests = ['.test.yaml', '.test.yml'].some((extension) => existsSync(base + extension));
  const home = directoriesAbove(path.dirname(file)).find((directory) => existsSync(runsHome(directory)));
  const failures = new Map<string, number>();
  if (home === undefined || name === '') return { hasTests, runs: 0, failures };
  // Ids begin with the time, so that the last are the newest.
  const ids = [...runIds(home)].sort().slice(-mostRuns);
  const runs = ids
    .map((id) => summarizeRun(path.join(runsHome(home), id)))
    .filter((run) => run.name === name && !run.simulated);
  for (const { status, current_node } of runs)
    if (status === 'fail' && current_node !== null)
      failures.set(current_node, (failures.get(current_node) ?? 0) + 1);
  return { hasTests, runs: runs.length, failures };
}

function directoriesAbove(directory: string): readonly string[] {
  const above = path.dirname(directory);
  return above === directory ? [directory] : [directory, ...directoriesAbove(above)];
}
