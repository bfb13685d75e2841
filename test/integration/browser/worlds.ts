import type { RunDetail, RunList, RunStatusName, Submission } from '../../../src/server/api/run.js';
import { isOver } from '../../../src/view/run-status.js';
import type { PageServer } from './page-server.js';

/** A pipeline with a gate that goes back on one answer, and on with the other. */
export const gated: Submission = {
  dot: `digraph release {
    graph [goal="Ship version 2.4 when the reviewers agree"]
    start [shape=Mdiamond]
    exit [shape=Msquare]
    build [label="Build and test"]
    gate [shape=hexagon, label="Ship it?", prompt="The build is green, and two people have reviewed it."]
    start -> build -> gate
    gate -> exit [label="[A] Approve"]
    gate -> build [label="[F] Fix first"]
  }`,
};

/** Works on one stage until somebody stops it. */
export const endless: Submission = {
  dot: `digraph nightly_index {
    graph [goal="Index all repositories again"]
    start [shape=Mdiamond]
    exit [shape=Msquare]
    collect [label="Collect"]
    index [label="Index"]
    start -> collect -> index -> exit
  }`,
  script: { nodes: { index: { outcome: 'success', delay: '10h' } } },
};

export const failing: Submission = {
  dot: `digraph migration {
    graph [goal="Move the accounts to the new schema"]
    start [shape=Mdiamond]
    exit [shape=Msquare]
    migrate [label="Migrate", max_retries=0]
    start -> migrate -> exit
  }`,
  script: {
    nodes: {
      migrate: { outcome: 'fail', failure_reason: 'column "owner" of relation "accounts" does not exist' },
    },
  },
};

/** Whatever authors name, the page shows as text. */
export const hostile: Submission = {
  dot: `digraph hostile {
    graph [goal="<script>document.title = 'owned'</script><img src=x onerror=alert(1)> & so on"]
    start [shape=Mdiamond]
    exit [shape=Msquare]
    gate [shape=hexagon, label="<b onclick=alert(1)>Go?</b>", prompt="</p><script>alert(2)</script>"]
    start -> gate
    gate -> exit [label="[Y] <img src=x onerror=alert(3)>"]
    gate -> exit [label="[N] no"]
  }`,
};

/** A pipeline of the plugin `asking-plugin.mjs` that asks one question of a kind. */
export const asking = (kind: string, label: string): Submission => ({
  dot: `digraph asks_${kind} {
    graph [goal="Ask a question"]
    start [shape=Mdiamond]
    exit [shape=Msquare]
    ask [type="asks", kind="${kind}", label="${label}"]
    start -> ask -> exit
  }`,
});

/** How a run is to be: its status, that it waits for an answer, or that it has ended somehow. */
export type Wanted = RunStatusName | 'asking' | 'over';

function isAs({ status, questions }: RunDetail, wanted: Wanted): boolean {
  if (wanted === 'asking') return status === 'running' && questions.length > 0;
  return wanted === 'over' ? isOver(status) : status === wanted;
}

/**
 * Waits until a run is as wanted: looks at it now, and again with each event that it has from then on.
 * @throws Error if it ends otherwise
 */
export async function untilRun(server: PageServer, id: string, wanted: Wanted): Promise<void> {
  const look = (): Promise<RunDetail> => server.get(`pipelines/${id}`);
  const first = await look();
  if (isAs(first, wanted)) return;
  for await (const _ of server.listen(`pipelines/${id}/events?from=${first.seq + 1}`))
    if (isAs(await look(), wanted)) return;
  const last = await look();
  if (!isAs(last, wanted)) throw new Error(`the run ${id} is ${last.status} at its end; expected ${wanted}`);
}

/** Ids of the runs that are being executed. */
export async function activeRuns(server: PageServer): Promise<readonly string[]> {
  const { runs } = await server.get<RunList>('pipelines?status=running&limit=200');
  return runs.map(({ id }) => id);
}

/** Cancels a run, unless it ends by itself before. */
export async function cancelRun(server: PageServer, id: string): Promise<void> {
  await server.post(`pipelines/${id}/cancel`, {}).catch((error: unknown) => {
    if (!String(error).includes(': 409 ')) throw error;
  });
  await untilRun(server, id, 'over');
}
