const minute = 60_000;
/** Margin in milliseconds, because timers may fire a little early. */
const marginMs = 250;

/**
 * Start times of the agent sessions of this process. Gemini CLI names the file of a session by the minute
 * in which it begins, and when it resumes one it creates a file too, before it reads the old one: within
 * the same minute it overwrites the conversation, and continues without it.
 */
export class SessionBegins {
  /** Upper bound for the start of sessions of other processes. */
  readonly #since: number;
  readonly #begun = new Map<string, number>();

  /** @param now in milliseconds of the real clock, which agents use */
  constructor(now: number) {
    this.#since = now;
  }

  note(id: string, now: number): void {
    this.#begun.set(id, now);
  }

  /** Milliseconds until the minute is over in which the session may have begun. */
  rest(id: string, now: number): number {
    const begun = this.#begun.get(id) ?? this.#since;
    const isSame = Math.floor(begun / minute) === Math.floor(now / minute);
    return isSame ? minute - (now % minute) + marginMs : 0;
  }
}
