import { shorten, type VisitRecord } from './visit-record.js';

/**
 * Window of the latest visits, with details for the latest of those; the cost of adding one does not depend
 * on their number.
 */
export class VisitWindow {
  omitted = 0;
  readonly #rows: number;
  readonly #details: number;
  #visits: VisitRecord[] = [];
  /** Index of the first visit within the window. */
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
