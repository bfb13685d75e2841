import type { VisitRecord } from '../../../view/fold/visit-record.js';

/** A row of a timeline for all that happens one after the other: the main line, and branches that run next to it. */
export interface Lane {
  /** The branches that have it, one after the other; undefined for the main line. */
  readonly branches: readonly (string | undefined)[];
  readonly spans: readonly LaneSpan[];
}

export interface LaneSpan {
  readonly visit: VisitRecord;
  readonly startedAt: number;
  readonly endedAt: number;
}

interface Branch {
  readonly id: string | undefined;
  readonly spans: LaneSpan[];
  from: number;
  to: number;
}

/**
 * Visits by branch, the main line first; a branch that begins when another one is over continues in its lane, so that a loop
 * around a fan-out takes no more room than one round of it (§4.8).
 */
export function lanesOf(visits: readonly VisitRecord[], now: number): readonly Lane[] {
  const lanes: { readonly branches: (string | undefined)[]; readonly spans: LaneSpan[]; to: number }[] = [];
  for (const { id, spans, from, to } of branchesOf(visits, now)) {
    const free = id === undefined ? undefined : freeLane(lanes.slice(1), id, from);
    if (free === undefined) lanes.push({ branches: [id], spans: [...spans], to });
    else {
      if (!free.branches.includes(id)) free.branches.push(id);
      free.spans.push(...spans);
      free.to = to;
    }
  }
  return lanes;
}

/**
 * Lane for a branch: its earlier one, else a free one; branches without a duration run side by side all the
 * same.
 */
function freeLane<Free extends { readonly branches: readonly (string | undefined)[]; readonly to: number }>(
  lanes: readonly Free[],
  id: string,
  from: number,
): Free | undefined {
  const own = lanes.find(({ branches, to }) => branches.includes(id) && to <= from);
  return own ?? lanes.find(({ to }) => to < from);
}

/** Each time that a branch runs counts; the main line is one, from the beginning to the end. */
function branchesOf(visits: readonly VisitRecord[], now: number): readonly Branch[] {
  const main: Branch = { id: undefined, spans: [], from: 0, to: Number.POSITIVE_INFINITY };
  const all: Branch[] = [main];
  const latest = new Map<string, Branch>();
  for (const visit of visits) {
    const span = {
      visit,
      startedAt: visit.startedAt,
      endedAt: visit.endedAt ?? Math.max(now, visit.startedAt),
    };
    const branch = visit.branch === undefined ? main : latest.get(visit.branch);
    // The first stage of a branch begins another round of it.
    const isNewRound = branch?.spans[0]?.visit.nodeId === visit.nodeId && visit.branch !== undefined;
    if (branch === undefined || isNewRound) {
      const begun: Branch = { id: visit.branch, spans: [span], from: span.startedAt, to: span.endedAt };
      if (visit.branch !== undefined) latest.set(visit.branch, begun);
      all.push(begun);
    } else {
      branch.spans.push(span);
      if (branch !== main) branch.to = Math.max(branch.to, span.endedAt);
    }
  }
  return all;
}
