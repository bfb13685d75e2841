import type { Events, StageEvent, Stages } from '../../parser/property/ast.js';
import { type Choice, choicesOf, matchChoice } from '../choices.js';
import type { Node } from '../graph.js';
import type { HandlerType } from '../handler-types.js';
import { labelsMatch } from '../labels.js';
import type { Observation, SeenOutcome } from './observation.js';

/** When stages count that a property only names: as soon as they begin, or once they have ended, in whatever way. */
export type Moment = 'begins' | 'ends';

/** What a property needs to know of a node of a program. */
export interface PropertyNode {
  readonly id: string;
  readonly node: Node;
  readonly handler: HandlerType;
  readonly edges: readonly { readonly label: string; readonly to: string }[];
}

/** Nodes of a program, without its start and exit where a property speaks of all stages. */
export interface StageSet {
  readonly nodes: ReadonlyMap<string, PropertyNode>;
  readonly startId: string;
  readonly exitId: string;
}

/** Recognizes events of a property. */
export interface EventMatcher {
  readonly starts: ReadonlySet<string>;
  /** By node: true for an outcome with which its visit counts. */
  readonly ends: ReadonlyMap<string, (outcome: SeenOutcome) => boolean>;
}

/** Stages to which a part of a property applies. */
function stagesNamed(stages: Stages, { nodes, startId, exitId }: StageSet): readonly PropertyNode[] {
  if (stages.kind === 'named') {
    const node = nodes.get(stages.name.text);
    return node === undefined ? [] : [node];
  }
  const isOfSort = stages.sort === undefined ? () => true : stageSorts.get(stages.sort.text.toLowerCase());
  const ofClass = stages.ofClass?.text;
  return [...nodes.values()].filter(
    (one) =>
      one.id !== startId &&
      one.id !== exitId &&
      isOfSort?.(one) === true &&
      (ofClass === undefined || one.node.classes.includes(ofClass)),
  );
}

/** Words before `stages`, in lower case. */
export const stageSorts: ReadonlyMap<string, (node: PropertyNode) => boolean> = new Map<
  string,
  (node: PropertyNode) => boolean
>([
  ['any', () => true],
  ['llm', ({ handler }) => handler.llm],
  ['tool', ({ handler }) => handler.type === 'tool'],
  ['human', ({ handler }) => handler.type === 'wait.human'],
  ['parallel', ({ handler }) => handler.forks],
  ['pipeline', ({ handler }) => handler.runsChild],
]);

/** Those words as authors write them. */
export const sortNames: readonly string[] = [...stageSorts.keys()].map((name) =>
  name === 'llm' ? 'LLM' : name,
);

export function matcherOf(events: Events, moment: Moment, set: StageSet): EventMatcher {
  const starts = new Set<string>();
  const tests = new Map<string, ((outcome: SeenOutcome) => boolean)[]>();
  for (const event of events) {
    for (const node of stagesNamed(event.stages, set)) {
      if (event.result === undefined && moment === 'begins') starts.add(node.id);
      else tests.set(node.id, [...(tests.get(node.id) ?? []), testOf(event, node)]);
    }
  }
  const ends = [...tests].map(
    ([id, all]) => [id, (outcome: SeenOutcome) => all.some((test) => test(outcome))] as const,
  );
  return { starts, ends: new Map(ends) };
}

export function matches({ starts, ends }: EventMatcher, observation: Observation): boolean {
  switch (observation.kind) {
    case 'started':
      return starts.has(observation.nodeId);
    case 'ended':
      return ends.get(observation.nodeId)?.(observation.outcome) === true;
    case 'completes':
      return false;
  }
}

function testOf({ result }: StageEvent, node: PropertyNode): (outcome: SeenOutcome) => boolean {
  switch (result?.kind) {
    case undefined:
      return () => true;
    case 'passed':
      return isPassed;
    case 'failed':
      return ({ status }) => status === 'fail';
    case 'word':
      return testOfWord(result.word.text, node);
  }
}

function isPassed({ status }: SeenOutcome): boolean {
  return status === 'success' || status === 'partial_success';
}

/** Statuses with which a visit can end. */
export const finalStatuses: readonly string[] = ['success', 'partial_success', 'fail', 'skipped'];

function testOfWord(word: string, node: PropertyNode): (outcome: SeenOutcome) => boolean {
  const choice = choiceNamed(word, node);
  if (choice !== undefined) return (outcome) => isPassed(outcome) && isChosen(choice, outcome);
  if (finalStatuses.includes(word)) return (outcome) => (outcome.custom_outcome ?? outcome.status) === word;
  return ({ status, custom_outcome, preferred_label = '' }) =>
    status !== 'skipped' && (custom_outcome === word || labelsMatch(preferred_label, word));
}

/** Choice of a gate that a word means; a status is never taken for one. */
function choiceNamed(word: string, { handler, edges }: PropertyNode): Choice | undefined {
  if (handler.type !== 'wait.human' || finalStatuses.includes(word)) return undefined;
  return matchChoice(choicesOf(edges), word);
}

/** A gate says which choice was taken; a scripted one may only say where to go. */
function isChosen({ key, label, to }: Choice, outcome: SeenOutcome): boolean {
  const selected = outcome.context_updates?.['human.gate.selected'];
  if (selected !== undefined) return selected === key;
  const { preferred_label, suggested_next_ids } = outcome;
  if (preferred_label !== undefined && preferred_label !== '') return labelsMatch(preferred_label, label);
  return suggested_next_ids?.[0] === to;
}
