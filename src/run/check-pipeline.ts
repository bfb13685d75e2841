import path from 'node:path';
import type { Graph } from '../graph/graph.js';
import type { Program } from '../graph/program.js';
import { messageOf } from '../handlers/error-category.js';
import { graphHash } from '../journal/graph-hash.js';
import { damagedManifest, type Manifest } from '../run-directory/manifest.js';
import { RunError } from '../run-directory/run-error.js';
import { runFiles } from '../run-directory/run-files.js';
import type { SimulationScript } from '../run-directory/simulation-script.js';
import { checkScript } from './simulate/check-script.js';

/**
 * Checks the script that a run was started with, which was valid then.
 * @throws RunError `run_damaged`
 */
export function checkRecordedScript(directory: string, program: Program, script: SimulationScript): void {
  try {
    checkScript(program, script);
  } catch (error) {
    throw damagedManifest(directory, messageOf(error));
  }
}

/**
 * Checks that the pipeline is that of the run; call it before any other use.
 * @throws RunError `run_damaged`
 */
export function checkPipeline(directory: string, manifest: Manifest, graph: Graph): void {
  if (graphHash(graph) === manifest.graph_hash) return;
  throw new RunError(
    'run_damaged',
    `${path.join(directory, runFiles.pipeline)} is not the pipeline that this run was started with. If the file is unchanged, the transforms of the run are missing or different: pass them again (\`transforms\`, or the plugin that provides them). Otherwise restore the file, or start a new run of the changed pipeline`,
  );
}
