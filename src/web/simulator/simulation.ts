import type { Program } from '../../graph/program.js';
import type { ExecuteEffect, WaitEffect } from '../../machine/effect.js';
import type { RunEvent } from '../../machine/event.js';
import type { Question } from '../../machine/interview.js';
import type { Outcome } from '../../machine/outcome.js';
import type { RunState } from '../../machine/state.js';
import type { RunArtifacts } from '../../run/driver/driver-ports.js';
import type { RunStore } from '../../run-directory/run-store.js';
import type { ScriptEntry } from '../../run-directory/simulation-script.js';

/**
 * A pipeline played through by hand, at one moment: what `decide` made of the choices so far (DESIGN §2), and what it waits
 * for. Never changed: each choice gives another one, so that going back is taking an older one.
 */
export interface Simulation {
  readonly program: Program;
  readonly state: RunState;
  /** Milliseconds since 1970; continues by one with every choice, and jumps where time is let pass. */
  readonly now: number;
  /** Number of inputs to the machine: each uses one number of the simulation's random sequence. */
  readonly inputs: number;
  /** Number of checkpoints that a driver would have saved; each is an input that uses such a number too. */
  readonly saves: number;
  /** Events that are needed before it continues. */
  readonly pending: readonly Pending[];
  /** Every attempt that was left to the user, in the order in which they were settled. */
  readonly performed: readonly Performed[];
  /** Every event of the machine, in order. */
  readonly events: readonly RunEvent[];
  /**
   * Artifacts of all moments of this simulation: values that are too large for the context are written
   * again at every visit.
   */
  readonly artifacts: RunArtifacts;
  /** Store that keeps the answers of all of its stages, for those that read them. */
  readonly store: RunStore;
}

/** Event that a simulation waits for. */
export type Pending = PendingStage | PendingQuestion | PendingTimer | PendingRunTimer;

/** A stage that is ready: the user says how it ends. */
export interface PendingStage {
  readonly kind: 'stage';
  readonly effect: ExecuteEffect;
}

export interface PendingQuestion {
  readonly kind: 'question';
  readonly question: Question;
  /** The attempt that asks. */
  readonly effect: ExecuteEffect;
}

/** A pause before the next attempt, or the time that the branches of a parallel node have. */
export interface PendingTimer {
  readonly kind: 'timer';
  readonly effect: WaitEffect;
}

/** The time that the whole run has. */
export interface PendingRunTimer {
  readonly kind: 'run_timer';
  readonly until: number;
}

/** An attempt that the user has settled, for the script that does the same again. */
export interface Performed {
  readonly nodeId: string;
  readonly cursor: string;
  readonly execution: number;
  readonly startedAt: number;
  readonly settledAt: number;
  /** Chosen entry; for a gate the outcome of the answers. */
  readonly entry: ScriptEntry;
  /** Typed answers of a gate; undefined for a question that timed out. */
  readonly answers: readonly (string | undefined)[] | undefined;
  /** Ended by its time being up. */
  readonly timedOut: boolean;
}

/** Possible next step in a simulation. */
export type Choice =
  | { readonly kind: 'outcome'; readonly cursor: string; readonly entry: ScriptEntry }
  | { readonly kind: 'answer'; readonly cursor: string; readonly typed: string }
  | { readonly kind: 'let_time_pass' };

/** End of an attempt. */
export type AttemptEnd =
  | { readonly kind: 'settled'; readonly outcome: Outcome; readonly logs: readonly LogLine[] }
  | { readonly kind: 'suspended'; readonly reason: string; readonly logs: readonly LogLine[] }
  | { readonly kind: 'asks'; readonly question: Question; readonly logs: readonly LogLine[] };

export interface LogLine {
  readonly level: 'info' | 'warning';
  readonly message: string;
  readonly nodeId: string;
}
