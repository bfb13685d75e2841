import { shorten, type VisitRecord } from './visit-record.js';

interface WindowSize {
  readonly rows: number;
  readonly details: number;
  /** Visit that keeps its details. */
  readonly visit?: number | undefined;
}

/** Maximum number of visits with branches that are kept whatever comes after them. */
const forksKept = 50;

/**
 * Window of the latest visits, with details for the latest of those; the cost of adding one does not depend
 * on their number. Visits with the branches of a list stay, because their branches are most of what comes
 * after them.
 */
export class VisitWindow {
  omitted = 0;
  readonly #rows: number;
  readonly #details: number;
  readonly #visit: number | undefined;
  readonly #forks: VisitRecord[] = [];
  #visits: VisitRecord[] = [];
  /** Index of the first visit within the window. */
  #first = 0;

  constructor({ rows, details, visit }: WindowSize) {
    this.#rows = rows;
    this.#details = details;
    this.#visit = visit;
  }

  get visits(): readonly VisitRecord[] {
    const first = this.#visits[this.#first];
    const earlier = this.#forks.filter(({ index }) => first !== undefined && index < first.index);
    const latest = this.#visits.slice(this.#first);
    return earlier.length === 0 ? latest : [...earlier, ...latest];
  }

  push(visit: VisitRecord): void {
    this.#visits.push(visit);
    const beyond = this.#visits[this.#visits.length - 1 - this.#details];
    if (beyond !== undefined) this.#leaveDetails(beyond);
    if (this.#visits.length - this.#first <= this.#rows) return;
    const left = this.#visits[this.#first];
    this.#first += 1;
    if (left !== undefined && !this.#forks.includes(left)) this.omitted += 1;
    if (this.#first <= this.#rows) return;
    this.#visits = this.#visits.slice(this.#first);
    this.#first = 0;
  }

  #leaveDetails(visit: VisitRecord): void {
    if (visit.details === undefined || visit.visit === this.#visit) return;
    if (visit.branches !== undefined && this.#forks.length < forksKept) this.#forks.push(visit);
    else shorten(visit);
  }
}
