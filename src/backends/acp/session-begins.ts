const minute = 60_000;
/** Timers may come a little early. */
const marginMs = 250;

/**
 * When the sessions of agents began, as far as this process knows. Gemini CLI names the file of a session by the minute in which it
 * begins, and when it takes one up again it begins a file too, before it reads the old one: within the same minute it writes
 * over the conversation, and continues without it.
 */
export class SessionBegins {
  /** Sessions of other processes are older than this one. */
  readonly #since: number;
  readonly #begun = new Map<string, number>();

  /** @param now in milliseconds of the real clock, by which agents go */
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
