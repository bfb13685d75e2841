import path from 'node:path';
import { nodeFileSystem } from '../run-directory/file-system.js';
import { runFiles } from '../run-directory/run-files.js';
import { runOwner } from '../run-directory/run-requests.js';
import type { ViewScope } from './fold/run-view.js';
import { GrowingView } from './growing-view.js';
import type { ReadHistory } from './run-history.js';
import { type RunPipeline, runPipelineOf } from './run-pipeline.js';
import { shownVisits } from './shown-visits.js';

/** Maximum number of remembered readings. */
const remembered = 40;

interface KnownHistory {
  /** Identity of the file of the pipeline: another run in the same place has another. */
  readonly inode: number | undefined;
  readonly pipeline: RunPipeline;
  readonly view: GrowingView;
}

/**
 * Reads runs for clients that ask again and again: each event is read once for a scope, so that a request about a long run
 * costs no more than one about a short run.
 */
export class HistoryCache {
  readonly #known = new Map<string, KnownHistory>();

  readonly read: ReadHistory = (directory, scope) => {
    const { pipeline, view: growing } = this.#history(directory, scope);
    // Read first: events that a process writes in between are then still its own.
    const isExecuted = runOwner(directory) !== undefined;
    const view = growing.read();
    return { pipeline, view, visits: shownVisits(view, isExecuted), omitted: view.visits.omitted };
  };

  /** The latest are remembered. */
  #history(directory: string, scope: Omit<ViewScope, 'nodes'>): KnownHistory {
    const key = JSON.stringify([directory, scope]);
    const inode = nodeFileSystem.stat(path.join(directory, runFiles.pipeline))?.ino;
    const known = this.#known.get(key);
    const history =
      known === undefined || known.inode !== inode ? openHistory(directory, scope, inode) : known;
    this.#known.delete(key);
    this.#known.set(key, history);
    const [oldest] = this.#known.keys();
    if (this.#known.size > remembered && oldest !== undefined) this.#known.delete(oldest);
    return history;
  }
}

function openHistory(
  directory: string,
  scope: Omit<ViewScope, 'nodes'>,
  inode: number | undefined,
): KnownHistory {
  const pipeline = runPipelineOf(directory);
  return { inode, pipeline, view: new GrowingView(directory, { ...scope, nodes: pipeline.nodes }) };
}
