import { nodeAttribute } from '../../graph/attributes.js';
import { asksForTextAlone, choicesOf } from '../../graph/choices.js';
import { perObject } from '../../graph/per-object.js';
import type { Program, ProgramNode } from '../../graph/program.js';
import { routers } from '../../run/simulate/made-up-words.js';
import { wishedOutcomes } from '../../run/simulate/wished-outcomes.js';
import type { ScriptEntry } from '../../run-directory/simulation-script.js';

/** One of the ways in which an attempt of a stage can end, besides the usual one. */
export type Alternative =
  | { readonly kind: 'entry'; readonly key: string; readonly entry: ScriptEntry }
  /** Answer to a gate, as a person types it; undefined if nobody answers. */
  | { readonly kind: 'answer'; readonly key: string; readonly answer: string | undefined };

/** Ways beyond which those of a stage are not looked at. */
const mostAlternatives = 24;

/** Alternatives of every stage of a program that does work, without those that no route can tell apart. */
export const stageAlternatives = perObject(
  (program: Program): ReadonlyMap<string, readonly Alternative[]> => {
    const found = new Map<string, readonly Alternative[]>();
    for (const node of program.nodes.values()) {
      const alternatives = alternativesOf(node, program);
      if (alternatives.length > 0) found.set(node.id, alternatives.slice(0, mostAlternatives));
    }
    return found;
  },
);

function alternativesOf(node: ProgramNode, program: Program): readonly Alternative[] {
  const { handler } = node;
  if (handler.type === 'wait.human') return answersOf(node);
  if (handler.instant || handler.neverFails) return [];
  const entries = [...wishes(node, program), ...preferences(node, program), ...failures(node)];
  const byKey = new Map(entries.map((entry) => [JSON.stringify(entry), entry]));
  byKey.delete(JSON.stringify(plain));
  return [...byKey].map(([key, entry]) => ({ kind: 'entry', key, entry }));
}

const plain: ScriptEntry = { outcome: 'success' };

function answersOf({ node, edges }: ProgramNode): readonly Alternative[] {
  const choices = choicesOf(edges);
  const words = nodeAttribute(node, 'human.text');
  const text = words === 'required' ? '[Simulated] text' : undefined;
  const answers = asksForTextAlone(choices, words)
    ? [text]
    : choices.map(({ key }) => (text === undefined ? key : `${key}\t${text}`));
  return [...answers, undefined].map((answer): Alternative => {
    return { kind: 'answer', key: answer ?? 'nobody', answer };
  });
}

/** Outcomes that decide the conditions at a stage, and at the diamonds after it. */
function wishes(node: ProgramNode, program: Program): readonly ScriptEntry[] {
  const own = node.ownRules?.failWhen;
  const conditions = routers(program, node).flatMap(({ edges, ownRules }) => [
    ...edges.flatMap(({ condition }) => condition ?? []),
    ...(ownRules?.failWhen === undefined ? [] : [ownRules.failWhen]),
  ]);
  const all = own === undefined ? conditions : [own, ...conditions];
  return all.flatMap((condition) =>
    [true, false].flatMap((value) =>
      wishedOutcomes(condition, value, node).flatMap((wished): ScriptEntry[] => {
        // A script has no custom outcomes.
        if (wished.custom_outcome !== undefined || wished.status === 'retry') return [];
        const { status: outcome, preferred_label, context_updates } = wished;
        const hasUpdates = Object.keys(context_updates).length > 0;
        const entry: Record<string, unknown> = { outcome };
        if (preferred_label !== undefined) entry.preferred_label = preferred_label;
        if (hasUpdates) entry.context_updates = context_updates;
        if (outcome === 'fail') entry.retryable = false;
        return [entry as unknown as ScriptEntry];
      }),
    ),
  );
}

/** Preferences among edges without conditions, at a stage and at the diamonds after it. */
function preferences(node: ProgramNode, program: Program): readonly ScriptEntry[] {
  return routers(program, node).flatMap(({ edges }) => {
    const open = edges.filter(({ condition }) => condition === undefined);
    if (open.length < 2) return [];
    return open.map(
      ({ label, to }): ScriptEntry =>
        label === ''
          ? { outcome: 'success', suggested_next_ids: [to] }
          : { outcome: 'success', preferred_label: label },
    );
  });
}

function failures({ retry, handler }: ProgramNode): readonly ScriptEntry[] {
  const final: ScriptEntry = { outcome: 'fail', retryable: false };
  if (retry.maxAttempts <= 1) return [final];
  const isRetried = handler.retriesFailure && retry.retriesFailure;
  return [final, { outcome: isRetried ? 'fail' : 'retry' }];
}
