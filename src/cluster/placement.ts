import { graphAttribute } from '../graph/attributes.js';
import type { Graph } from '../graph/graph.js';
import type { Program } from '../graph/program.js';
import { isKey, listedKeys } from '../graph/values/key-lists.js';
import { UsageError } from '../setup/usage-error.js';

/** Demands of a run on the worker that executes it (SEMANTICS 143). Plain data. */
export interface Placement {
  /** Labels that a worker must have, in the order of the alphabet. */
  readonly requires: readonly string[];
  /** Machine on which the run has to continue, because its files are there. */
  readonly host?: string | undefined;
}

/**
 * Reach of the files that stages work on: `none` if no stage has any; `remote` if git brings them to every worker; `shared` and `sticky`
 * as the pipeline says; `unsaid` if they are on every worker only where the workers share them.
 */
export type FilesReach = 'none' | 'remote' | 'shared' | 'sticky' | 'unsaid';

/** Worker with the facts that decide which runs it may take. */
export interface PlacedWorker {
  /** Name of the machine: workers with the same one share its files. */
  readonly host: string;
  readonly labels: readonly string[];
  readonly runs: number;
  readonly max_runs: number;
  /** True if it takes no more runs. */
  readonly leaving: boolean;
}

/** Placement that a pipeline asks for. */
export function placementOf(graph: Graph): Placement {
  const labels = listedKeys(graph.attributes.get('requires')).map(({ key }) => key);
  return { requires: [...new Set(labels)].sort() };
}

/** Reach of the files of a run. */
export function filesReachOf(
  { graph, nodes }: Program,
  {
    simulate = false,
    remote,
  }: { readonly simulate?: boolean | undefined; readonly remote: string | undefined },
): FilesReach {
  if (simulate || [...nodes.values()].every(({ handler }) => handler.harmless)) return 'none';
  if (remote !== undefined) return 'remote';
  const said = graphAttribute(graph, 'placement');
  return said === 'shared' || said === 'sticky' ? said : 'unsaid';
}

/** @throws UsageError if a worker is given a label that no pipeline can name */
export function checkLabels(labels: readonly string[]): void {
  const wrong = labels.find((label) => !isKey(label) || label.includes('.'));
  if (wrong === undefined) return;
  throw new UsageError(
    `"${wrong}" is not a label; expected letters, digits, "_" and "-", beginning with a letter, such as \`--labels gpu,linux\``,
  );
}

/** True if a worker is on the machine of a run, if it has one, and has the labels that the run requires. */
export function mayTake(
  { labels, host }: Pick<PlacedWorker, 'labels' | 'host'>,
  placement: Placement,
): boolean {
  if (placement.host !== undefined && placement.host !== host) return false;
  return placement.requires.every((label) => labels.includes(label));
}

/**
 * Thing that a run in the queue waits for, as the end of a sentence; undefined if a worker will take it at once.
 * @param workers those that live
 */
export function awaited(placement: Placement, workers: readonly PlacedWorker[]): string | undefined {
  const missing = awaitedWorker(placement, workers);
  if (missing !== undefined) return missing;
  const isRoom = fitting(placement, workers).some((worker) => worker.runs < worker.max_runs);
  return isRoom ? undefined : 'a worker with room';
}

/** The worker that a run waits for if none that lives may take it; undefined if one may. */
export function awaitedWorker(placement: Placement, workers: readonly PlacedWorker[]): string | undefined {
  if (fitting(placement, workers).length > 0) return undefined;
  const { host, requires } = placement;
  if (host !== undefined) return `a worker with --name ${host}, where its files are`;
  return requires.length === 0 ? 'a worker' : `a worker with --labels ${requires.join(',')}`;
}

function fitting(placement: Placement, workers: readonly PlacedWorker[]): readonly PlacedWorker[] {
  return workers.filter((worker) => !worker.leaving && mayTake(worker, placement));
}

/**
 * Advice for the author of a run that other workers could not continue, for lack of its files.
 * @param here name of the machine at which the run is submitted
 */
export function filesAdvice(
  { reach, directory }: { readonly reach: FilesReach; readonly directory: string },
  workers: readonly PlacedWorker[],
  here: string,
): string | undefined {
  const hosts = [...new Set(workers.map(({ host }) => host))];
  if (reach !== 'unsaid' || hosts.every((host) => host === here)) return undefined;
  return `the stages work in ${directory}, which must be the same directory on all workers (${hosts.join(', ')}). If it is, the pipeline can say placement=shared; if not, git=true with git_remote brings the files to every worker, and placement=sticky lets a run wait for its own one`;
}
