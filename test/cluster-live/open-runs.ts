import type { ClusterRun } from '../../src/cluster/cluster.js';
import { childOf } from '../../src/cluster/run-history.js';
import type { RunEvent } from '../../src/machine/event.js';
import type { LiveCluster } from './live-cluster.js';

interface OpenRun {
  readonly run: ClusterRun;
  /** Attempts that had settled when it was read last. */
  settled: number;
  /** Times that something was killed since one has. */
  kills: number;
}

/** A run that three workers have died on before it gets any further waits for a person (SEMANTICS 141). */
const mostKills = 2;

/** Runs that are under way while something is killed: `killedPipelines`, whose questions are answered. */
export class OpenRuns {
  readonly #cluster: LiveCluster;
  readonly #open = new Map<string, OpenRun>();

  constructor(cluster: LiveCluster) {
    this.#cluster = cluster;
  }

  get ids(): readonly string[] {
    return [...this.#open.keys()];
  }

  /** True if each has got further since the last kill but one, so that there may be another one. */
  get haveRecovered(): boolean {
    return [...this.#open.values()].every(({ kills }) => kills < mostKills);
  }

  /** True if a worker has stopped one until a person resumes it. */
  get haveProblem(): boolean {
    return [...this.#open.values()].some(({ run }) => run.history.problem !== undefined);
  }

  /** @returns id of the run */
  async submit(dot: string): Promise<string> {
    const id = await this.#cluster.submit(dot);
    const run = await this.#cluster.client.find(id);
    if (run === undefined) throw new Error(`the run ${id} is not there`);
    this.#open.set(id, { run, settled: 0, kills: 0 });
    return id;
  }

  /** Reads how far they are, and answers what they ask, each question once: `R` and `S` in turn, and in the child `N` and `Y`. */
  async look(): Promise<void> {
    await Promise.all(
      [...this.#open.values()].map(async (open) => {
        await open.run.refresh();
        const settled = settledIn(open.run);
        if (settled > open.settled) open.kills = 0;
        open.settled = settled;
        await answer(open.run);
      }),
    );
  }

  /** Something that they need was killed. */
  wereStopped(): void {
    for (const open of this.#open.values()) open.kills += 1;
  }

  /** Forgets those that had succeeded when they were read last. */
  forgetEnded(): void {
    for (const [id, { run }] of this.#open) if (run.history.view.status === 'success') this.#open.delete(id);
  }
}

function settledIn({ history }: ClusterRun): number {
  const runs = [history.run, ...history.children.values()];
  return runs.reduce((sum, { events }) => sum + events.filter((event) => 'outcome' in event).length, 0);
}

async function answer(run: ClusterRun): Promise<void> {
  const { history } = run;
  const waiting = [
    ...openQuestions(history.run.events, ['R', 'S']),
    ...[...history.children.values()].flatMap(({ manifest, events }) =>
      openQuestions(events, ['N', 'Y']).map(
        ([id, given]) => [`${childOf(manifest).run_id}.${id}`, given] as const,
      ),
    ),
  ];
  // A message with the same id is the same message, however often it is sent.
  for (const [question, given] of waiting)
    await run.send({ kind: 'answer', question, answer: given }, `${history.submission.runId}/${question}`);
}

/** Ids of the questions that are open, with their answers. */
function openQuestions(events: readonly RunEvent[], answers: readonly string[]) {
  const asked = events.flatMap((event) => (event.type === 'InterviewStarted' ? [event.question.id] : []));
  const done = new Set(
    events.flatMap((event) => (event.type === 'InterviewCompleted' ? [event.question_id] : [])),
  );
  return [...new Set(asked)].flatMap((id, turn) =>
    done.has(id) ? [] : [[id, answers[turn] ?? 'none is left'] as const],
  );
}
