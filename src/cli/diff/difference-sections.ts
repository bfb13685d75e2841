import { listFirst } from '../../diagnostic/list-first.js';
import type { BehaviourChange } from '../../diff/behaviour.js';
import type { EdgeName, FacetChange, WordChange } from '../../diff/compare-pipelines.js';
import { describeUsd, grouped } from '../../machine/usage.js';
import type { CostBound } from '../bound/bound-cost.js';
import type { VersionDifference } from './compare-versions.js';

/** Part of a difference for people: the same for a terminal and for Markdown. */
export interface DifferenceSection {
  readonly title: string;
  readonly entries: readonly DifferenceEntry[];
}

export interface DifferenceEntry {
  readonly mark: '+' | '-' | '~';
  readonly name: string;
  readonly details: readonly DifferenceDetail[];
  /** A change of behaviour, of which there is a script. */
  readonly behaviour?: BehaviourChange;
}

export interface DifferenceDetail {
  readonly name: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
  readonly words: readonly WordChange[] | undefined;
}

/** The parts of a difference in which something differs. */
export function differenceSections(found: VersionDifference): readonly DifferenceSection[] {
  const { difference, behaviour, bounds } = found;
  const { pipeline, nodes, edges } = difference;
  const renamed = new Map(nodes.renamed.map(({ from, to }) => [to, from]));
  const changed = new Map(nodes.changed.map((one) => [one.id, one.changes]));
  const sections: readonly DifferenceSection[] = [
    {
      title: 'pipeline',
      entries: pipeline.map((change) => entry('~', change.name, [{ ...change, name: '' }])),
    },
    {
      title: 'stages',
      entries: [
        ...nodes.added.map((id) => entry('+', id)),
        ...nodes.removed.map((id) => entry('-', id)),
        ...[...new Set([...renamed.keys(), ...changed.keys()])].map((id) =>
          entry('~', stageName(id, renamed.get(id)), changed.get(id)),
        ),
      ],
    },
    {
      title: 'edges',
      entries: [
        ...edges.added.map((edge) => entry('+', edgeName(edge))),
        ...edges.removed.map((edge) => entry('-', edgeName(edge))),
        ...edges.changed.map((edge) =>
          entry('~', edgeName(edge), [
            ...(edge.led_to === undefined ? [] : [detail('target', edge.led_to, edge.to)]),
            ...edge.changes,
          ]),
        ),
      ],
    },
    {
      title: 'runs',
      entries: [
        ...(behaviour?.appeared ?? []).map((one) => ({ ...entry('+', behaviourText(one)), behaviour: one })),
        ...(behaviour?.disappeared ?? []).map((one) => ({
          ...entry('-', behaviourText(one)),
          behaviour: one,
        })),
      ],
    },
    { title: 'at most', entries: bounds === undefined ? [] : boundEntries(bounds.before, bounds.after) },
  ];
  return sections.filter(({ entries }) => entries.length > 0);
}

function entry(
  mark: DifferenceEntry['mark'],
  name: string,
  details: readonly FacetChange[] = [],
): DifferenceEntry {
  return { mark, name, details };
}

function detail(name: string, before: string | undefined, after: string | undefined): DifferenceDetail {
  return { name, before, after, words: undefined };
}

function stageName(id: string, was: string | undefined): string {
  return was === undefined ? id : `${was} is now ${id}`;
}

function edgeName({ from, to, label, condition }: EdgeName): string {
  const said = [label === undefined ? '' : `[${label}]`, condition === undefined ? '' : `if ${condition}`];
  return [`${from} -> ${to}`, ...said.filter((part) => part !== '')].join(' ');
}

/** A change of behaviour as what a run can do. */
function behaviourText({ kind, node_id: id = '', without }: BehaviourChange): string {
  const others = listFirst(without);
  const have = without.length === 1 ? 'has' : 'have';
  switch (kind) {
    case 'reached':
      return `"${id}" can be reached`;
    case 'before':
      return `"${id}" can start before ${others} ${have} run`;
    case 'completes':
      return `a run can complete without ${others}`;
  }
}

function boundEntries(before: CostBound, after: CostBound): readonly DifferenceEntry[] {
  const rows: readonly (readonly [
    string,
    (bound: CostBound) => number | null,
    (amount: number) => string,
  ])[] = [
    ['stages', ({ stages }) => stages.at_most, grouped],
    ['model calls', ({ model_attempts }) => model_attempts.at_most, grouped],
    ['requests', ({ requests }) => requests.at_most, grouped],
    ['tokens', ({ tokens }) => tokens.at_most, grouped],
    ['cost', ({ cost_usd }) => cost_usd.at_most, describeUsd],
  ];
  return rows.flatMap(([name, amountOf, words]): readonly DifferenceEntry[] => {
    const [old, now] = [amountOf(before), amountOf(after)];
    if (old === now) return [];
    const text = (amount: number | null): string => (amount === null ? 'no limit' : words(amount));
    return [{ mark: '~', name, details: [detail('', text(old), text(now))] }];
  });
}
