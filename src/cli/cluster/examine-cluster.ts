import type { Fact } from '../../setup/machine/fact.js';
import { UsageError } from '../../setup/usage-error.js';
import { withCluster } from './database.js';

/** Facts about the database of a cluster and its workers, as `attractor doctor` prints them. */
export async function examineCluster(database: string): Promise<readonly Fact[]> {
  try {
    const workers = await withCluster(database, (cluster) => cluster.workers());
    return [{ name: 'database', state: 'ok', found: 'answers, and has all tables' }, factOf(workers)];
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return [{ name: 'database', state: 'problem', found: error.message }];
  }
}

interface Capacity {
  readonly runs: number;
  readonly max_runs: number;
  readonly leaving: boolean;
}

function factOf(workers: readonly Capacity[]): Fact {
  const staying = workers.filter(({ leaving }) => !leaving);
  if (staying.length === 0)
    return {
      name: 'workers',
      state: 'missing',
      found: 'there is none, so submitted runs wait',
      help: 'start one with `attractor worker`',
    };
  const [taken, places] = [sum(staying.map(({ runs }) => runs)), sum(staying.map((one) => one.max_runs))];
  return {
    name: 'workers',
    state: 'ok',
    found: `${staying.length}, with ${taken} of at most ${places} runs`,
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
