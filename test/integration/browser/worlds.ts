import type { RunList, Submission } from '../../../src/server/api/run.js';
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

interface Status {
  readonly status: string;
  readonly questions: readonly { readonly id: string }[];
}

/** Only a run that never comes there takes so long, even among many others on a busy machine. */
const patienceMs = 150_000;

/** Waits until a run is as wanted. */
export async function untilRun(
  server: PageServer,
  id: string,
  isWanted: (run: Status) => boolean,
): Promise<void> {
  const deadline = performance.now() + patienceMs;
  while (performance.now() < deadline) {
    const run = await server.get<Status>(`pipelines/${id}`);
    if (isWanted(run)) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`the run ${id} did not come to what was waited for`);
}

/** Submits it, and waits until it asks. */
export async function submitAsking(server: PageServer, submission: Submission): Promise<string> {
  const { id } = await server.submit(submission);
  await untilRun(server, id, ({ questions }) => questions.length > 0);
  return id;
}

export async function submitUntil(
  server: PageServer,
  submission: Submission,
  status: string,
): Promise<string> {
  const { id } = await server.submit(submission);
  await untilRun(server, id, (run) => run.status === status);
  return id;
}

/** Cancels whatever has not ended. */
export async function cancelAll(server: PageServer): Promise<void> {
  const { runs } = await server.get<RunList>('pipelines?status=running&limit=200');
  for (const { id } of runs) {
    await server.post(`pipelines/${id}/cancel`, {});
    await untilRun(server, id, ({ status }) => status !== 'running');
  }
}
