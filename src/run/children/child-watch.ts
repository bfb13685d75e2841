import type { Program } from '../../graph/program.js';
import type { ChildTelemetry } from '../../handlers/child-runner.js';
import { JournalTail } from '../../journal/journal-tail.js';
import type { RunEvent } from '../../machine/event.js';
import type { BranchOrigin } from '../../machine/state.js';
import { stagePath } from '../../run-directory/stage-path.js';
import { JournalDigest, type RecordedStatus } from '../../view/journal-digest.js';

/** A stage that a run is at. */
interface ActiveStage {
  readonly nodeId: string;
  /** Where its files are, relative to the run directory. */
  readonly place: string;
}

/** What a supervisor can know of a run by its events (§4.11): a fold of them that takes the same time for each. */
export class ChildWatch {
  readonly #digest = new JournalDigest();
  readonly #branches = new Map<string, { readonly branch: BranchOrigin }>();
  readonly #artifacts = new Set<string>();
  #runId = '';
  #failures = 0;
  #lastEvent = '';

  /** Empty until it has begun. */
  get runId(): string {
    return this.#runId;
  }

  get status(): RecordedStatus {
    return this.#digest.status;
  }

  /** Of its last event; 0 until it has begun. */
  get seq(): number {
    return this.#digest.lastEvent?.seq ?? 0;
  }

  /** Takes what a run did before it is watched. What cannot be read of it is for whoever resumes it to report. */
  catchUp(journalFile: string, onEvent?: (event: RunEvent) => void): void {
    for (const line of new JournalTail(journalFile).read()) {
      let event: RunEvent;
      try {
        event = JSON.parse(line) as RunEvent;
      } catch {
        return;
      }
      this.add(event);
      onEvent?.(event);
    }
  }

  add(event: RunEvent): void {
    this.#digest.add(event);
    this.#runId = event.run_id;
    if (event.type !== 'CheckpointSaved') this.#lastEvent = event.description;
    if (event.type === 'StageFailed') this.#failures += 1;
    if ('outcome' in event) for (const id of event.outcome.artifacts ?? []) this.#artifacts.add(id);
    if (event.type === 'ParallelBranchStarted') {
      const { branch, parent = '', node_id: parallelId, index, timestamp } = event;
      const origin = { parent, parallelId, index, startedAt: Date.parse(timestamp) };
      this.#branches.set(branch, { branch: origin });
    } else if (event.type === 'ParallelBranchCompleted') this.#branches.delete(event.branch);
  }

  telemetry(directory: string): ChildTelemetry {
    const { lastSettled, settled, retries } = this.#digest;
    return {
      runId: this.#runId,
      directory,
      activeStages: this.#active().map(({ node_id }) => node_id),
      lastStage: lastSettled,
      completed: settled,
      retries,
      failures: this.#failures,
      artifacts: this.#artifacts.size,
      lastEvent: this.#lastEvent,
    };
  }

  activeStages(program: Program): readonly ActiveStage[] {
    const run = { restarts: this.#digest.restarts, cursors: this.#branches };
    return this.#active().map(({ node_id: nodeId, branch }) => ({
      nodeId,
      place: stagePath(program, run, branch ?? '', nodeId),
    }));
  }

  /** A parallel node itself does nothing while its branches do. */
  #active() {
    return this.#digest.stages.filter(({ state }) => state !== 'branches');
  }
}
