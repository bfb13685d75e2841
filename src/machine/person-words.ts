/** Words of a person to a running stage. */
export interface PersonWords {
  /** Unique in the run. */
  readonly id: string;
  readonly text: string;
  /** Name of the person, if it is known. */
  readonly by?: string | undefined;
}
