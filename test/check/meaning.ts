import type { Observation } from '../../src/graph/properties/observation.js';
import type { Property, StageEvent } from '../../src/parser/property/ast.js';

// What docs/properties.md says, as statements about positions of a history: without automata, and without code of src.

export type History = readonly Observation[];

type Role = 'begins' | 'ends';

function isEvent(
  seen: Observation,
  events: readonly StageEvent[],
  role: Role,
  ids: readonly string[],
): boolean {
  return events.some(({ stages, result }) => {
    if (seen.kind === 'completes') return false;
    const isStage = stages.kind === 'named' ? seen.nodeId === stages.name.text : ids.includes(seen.nodeId);
    if (!isStage) return false;
    if (result === undefined) return seen.kind === (role === 'begins' ? 'started' : 'ended');
    if (seen.kind !== 'ended') return false;
    return isResult(result, seen.outcome.status);
  });
}

function isResult(result: NonNullable<StageEvent['result']>, status: string): boolean {
  switch (result.kind) {
    case 'passed':
      return status === 'success' || status === 'partial_success';
    case 'failed':
      return status === 'fail';
    case 'word':
      return status === result.word.text;
  }
}

/**
 * True if no position of a history breaks a property.
 * @param ids the nodes that `any stage` means
 */
export function holdsIn(history: History, property: Property, ids: readonly string[]): boolean {
  const is = (at: number, events: readonly StageEvent[], role: Role): boolean => {
    const seen = history[at];
    return seen !== undefined && isEvent(seen, events, role, ids);
  };
  const positions = history.map((_, at) => at);
  const lastBefore = (at: number, test: (position: number) => boolean): number | undefined =>
    positions.filter((position) => position < at && test(position)).at(-1);
  switch (property.kind) {
    case 'precedence': {
      const { events, required, since } = property;
      const guarded = positions.filter((at) =>
        events === 'completion' ? history[at]?.kind === 'completes' : is(at, events, 'begins'),
      );
      return guarded.every((at) => {
        const granted = lastBefore(at, (position) => is(position, required, 'ends'));
        if (granted === undefined) return false;
        return !positions.some(
          (one) => since !== undefined && one > granted && one < at && is(one, since, 'begins'),
        );
      });
    }
    case 'response': {
      const { trigger, required, before } = property;
      const due = positions.filter((at) =>
        before === 'completion' ? history[at]?.kind === 'completes' : is(at, before, 'begins'),
      );
      return due.every((at) => {
        const owed = lastBefore(at, (position) => is(position, trigger, 'begins'));
        if (owed === undefined) return true;
        return positions.some((one) => one > owed && one < at && is(one, required, 'ends'));
      });
    }
    case 'bound': {
      const { limit, counted, after, before } = property;
      return positions.every((at) => {
        if (!is(at, counted, 'begins')) return true;
        const closed =
          before === undefined ? undefined : lastBefore(at, (position) => is(position, before, 'ends'));
        const opened =
          after === undefined
            ? closed === undefined
              ? -1
              : undefined
            : positions.find((one) => one >= (closed ?? 0) && one < at && is(one, after, 'begins'));
        if (opened === undefined) return true;
        const count = positions.filter(
          (one) => one > opened && one <= at && is(one, counted, 'begins'),
        ).length;
        return count <= limit;
      });
    }
  }
}
