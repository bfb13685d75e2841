import type { PersonWords } from '../machine/person-words.js';

/** Readiness of a stage for words of people: it takes them, or refuses them with a reason. Plain data. */
export type SteeringReadiness = 'open' | { readonly refusal: string };

/** Words that people say to the model of a running stage, for its backend. */
export interface StageSteering {
  /** Lets people steer the stage. Call it first: without it their words are refused. */
  open(): void;
  /** Refuses words, with the reason as a sentence for people. */
  refuse(reason: string): void;
  /** Words that the model does not have yet, in order. */
  readonly waiting: readonly PersonWords[];
  /** Records that the model gets these words now. */
  delivered(id: string): void;
}
