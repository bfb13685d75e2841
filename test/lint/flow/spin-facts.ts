import type { Verifier } from '../../support/spin.js';
import { endings, jumps, keyNumbers, numberedIds, stageFailed, stuck, wordsOf } from './promela.js';
import type { Model } from './random-pipelines.js';
import { type Departure, type Facts, noBranches, statuses } from './reference.js';

export type Ending = (typeof endings)[number];

/** Facts about the runs of a pipeline by SPIN, and the ways in which they may end. */
export interface SpinFacts extends Facts {
  readonly endings: ReadonlySet<Ending>;
}

/**
 * Lets SPIN visit every state of a pipeline.
 * @param pipeline its number among those of the verifier
 */
export function factsBySpin(verifier: Verifier, model: Model, pipeline: number): SpinFacts {
  const ids = numberedIds(model);
  const PIPELINE = String(pipeline);
  const lines = verifier.explore({ PIPELINE }).map((line) => line.split(' '));
  const said = (name: string) =>
    lines.filter(([first]) => first === name).map(([, ...rest]) => rest.map(Number));
  const idOf = (number: number | undefined) => ids[number ?? -1] ?? '';
  const numbers = (some: readonly string[]) => some.map((id) => ids.indexOf(id));
  const ended = said('ended').map(([how = 0, visited = 0]) => ({
    how: endings[how] ?? 'completed',
    visited: new Set(ids.filter((_, index) => (visited & (1 << index)) !== 0)),
  }));
  const rounds = new Map<string, boolean>();
  const isRound = (round: readonly string[]): boolean => {
    const ROUND = numbers(round).join(' ');
    const known = rounds.get(ROUND) ?? verifier.hasAcceptanceCycle({ PIPELINE, ROUND });
    rounds.set(ROUND, known);
    return known;
  };
  const completed = ended.filter(({ how }) => how === 'completed').map(({ visited }) => visited);
  return {
    entered: new Set(said('entered').map(([node]) => idOf(node))),
    enteredWithout: new Set(said('entered').flatMap(([node, hasKey]) => (hasKey === 0 ? [idOf(node)] : []))),
    departures: said('departed').map((fields) => departureOf(model, idOf(fields[0]), fields)),
    completing: new Set(completed.flatMap((visited) => [...visited])),
    branches: noBranches,
    bypassed: new Set(
      [...model.nodes.values()]
        .filter(({ id, goalGate }) => goalGate && completed.some((visited) => !visited.has(id)))
        .map(({ id }) => id),
    ),
    endings: new Set(ended.map(({ how }) => how)),
    goesRound: (round) => !numbers(round).includes(-1) && isRound(round),
    isWay: (way) =>
      !numbers(way).includes(-1) &&
      verifier.explore({ PIPELINE, WAY: numbers(way).join(' ') }).includes('way'),
  };
}

function departureOf(model: Model, nodeId: string, fields: readonly number[]): Departure {
  const [, status = 0, key = 0, label = 0, suggested = 0, way = 0, held = 0] = fields;
  const { labels, targets } = wordsOf(model);
  const edges = model.edges.filter(({ from }) => from === nodeId);
  const edge = way < jumps ? edges[way] : undefined;
  const word = labels[label] ?? '';
  return {
    nodeId,
    status: statuses[status] ?? 'success',
    k: keyNumbers[key],
    label: word,
    suggests: targets[suggested],
    edge,
    holding: edges.filter((_, index) => (held & (1 << index)) !== 0),
    isByLabel: edge !== undefined && edge.condition === undefined && word !== '' && edge.label === word,
    end: way === stageFailed ? 'stage_failed' : way === stuck ? 'no_route' : 'none',
  };
}
