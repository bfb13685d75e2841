import type { Cluster } from '../../cluster/cluster.js';
import type { RunEnvironment } from '../runs/ready-run.js';
import type { RunDetails } from '../runs/run-details.js';
import type { ClusterList } from './cluster-list.js';
import type { KeptMirrors } from './kept-mirrors.js';

/** Shared parts of all operations on the runs of a cluster. */
export interface ClusterParts {
  readonly environment: RunEnvironment;
  readonly cluster: Cluster;
  readonly mirrors: KeptMirrors;
  readonly list: ClusterList;
  readonly details: RunDetails;
  readonly now: () => number;
  /** Aborted when the server stops. */
  readonly closing: AbortSignal;
}
