import { edgeAttribute } from './attributes.js';
import type { Graph } from './graph.js';
import { acceleratorKey, labelsMatch, normalizeLabel } from './labels.js';
import { perObject } from './per-object.js';
import { outgoingEdges } from './queries.js';

/** One of the choices that a human gate offers (§4.6). */
export interface Choice {
  /** Unique among the choices of a gate, compared without regard to case. */
  readonly key: string;
  /** Label of the edge; the target id if the edge has no label. */
  readonly label: string;
  readonly to: string;
  /** True if the label was written by the author. */
  readonly labelled: boolean;
}

/** The choices that a human gate offers: one for each of its outgoing edges. */
export function gateChoices(graph: Graph, nodeId: string): readonly Choice[] {
  return choicesOf(
    outgoingEdges(graph, nodeId).map((edge) => ({ label: edgeAttribute(edge, 'label'), to: edge.to })),
  );
}

/** True for a gate that asks for a text and leaves nothing to choose (SEMANTICS 109). */
export function asksForTextAlone(choices: readonly Choice[], words: string | undefined): boolean {
  const [only, second] = choices;
  return words === 'required' && only !== undefined && second === undefined && !only.labelled;
}

interface ChoiceEdge {
  readonly label: string;
  readonly to: string;
}

/**
 * Choices of a gate, one for each outgoing edge, in the order of the text (§4.6, SEMANTICS 55b). A key is
 * the one that the label declares, else its first character; if that is taken, the number of the choice.
 */
export function choicesOf(edges: readonly ChoiceEdge[]): readonly Choice[] {
  const declared = edges.map((edge) => acceleratorKey(edge.label));
  const usedKeys = new Set<string>();
  const keys: (string | undefined)[] = declared.map((key) => claim(usedKeys, key));
  return edges.map((edge, index) => {
    const label = edge.label.trim() === '' ? edge.to : edge.label.trim();
    const initial = [...label][0]?.toUpperCase();
    const preferredKey = declared[index] === undefined ? initial : undefined;
    const key =
      keys[index] ?? claim(usedKeys, preferredKey) ?? claim(usedKeys, String(index + 1)) ?? `#${index + 1}`;
    return { key, label, to: edge.to, labelled: edge.label.trim() !== '' };
  });
}

function claim(usedKeys: Set<string>, key: string | undefined): string | undefined {
  if (key === undefined || usedKeys.has(key.toLowerCase())) return undefined;
  usedKeys.add(key.toLowerCase());
  return key;
}

/** Choice for people, with its key unless the label contains it. */
export function describeChoice({ key, label }: Pick<Choice, 'key' | 'label'>): string {
  return acceleratorKey(label) === key ? label : `[${key}] ${label}`;
}

/**
 * Label by which edge selection finds the edge of a choice (§3.3): undefined if it has none, or if another
 * choice has the same.
 */
export function distinctLabel(choices: readonly Choice[], choice: Choice): string | undefined {
  if (!choice.labelled) return undefined;
  const first = firstByLabel(choices).get(normalizeLabel(choice.label));
  return first === choice || first?.to === choice.to ? choice.label : undefined;
}

/** First choice of each label, computed once: a gate may have many. */
const firstByLabel = perObject((choices: readonly Choice[]): ReadonlyMap<string, Choice> => {
  const byLabel = new Map<string, Choice>();
  for (const choice of choices) {
    const label = choice.labelled ? normalizeLabel(choice.label) : '';
    if (label !== '' && !byLabel.has(label)) byLabel.set(label, choice);
  }
  return byLabel;
});

/**
 * Choice for an answer: by key, label, normalised label, target id or number, in that order (SEMANTICS
 * 55b).
 */
export function matchChoice(choices: readonly Choice[], answer: string): Choice | undefined {
  const trimmed = answer.trim();
  if (trimmed === '') return undefined;
  const lower = trimmed.toLowerCase();
  return (
    choices.find((choice) => choice.key.toLowerCase() === lower) ??
    choices.find((choice) => choice.label === trimmed) ??
    choices.find((choice) => labelsMatch(choice.label, trimmed)) ??
    choices.find((choice) => choice.to === trimmed) ??
    (/^[0-9]+$/.test(trimmed) ? choices[Number(trimmed) - 1] : undefined)
  );
}
