import { shorten, type VisitRecord } from './visit-record.js';

/** The latest visits, and of the latest of those more than a line; adding one costs the same however many there were. */
export class VisitWindow {
  omitted = 0;
  readonly #rows: number;
  readonly #details: number;
  #visits: VisitRecord[] = [];
  /** The first that is still within the window. */
  #first = 0;

  constructor({ rows, details }: { readonly rows: number; readonly details: number }) {
    this.#rows = rows;
    this.#details = details;
  }

  get visits(): readonly VisitRecord[] {
    return this.#visits.slice(this.#first);
  }

  push(visit: VisitRecord): void {
    this.#visits.push(visit);
    const beyond = this.#visits[this.#visits.length - 1 - this.#details];
    if (beyond?.details !== undefined) shorten(beyond);
    if (this.#visits.length - this.#first <= this.#rows) return;
    this.#first += 1;
    this.omitted += 1;
    if (this.#first <= this.#rows) return;
    this.#visits = this.#visits.slice(this.#first);
    this.#first = 0;
  }
}
