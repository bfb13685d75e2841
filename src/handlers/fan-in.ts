import { nodeAttribute } from '../graph/attributes.js';
import type { JsonValue } from '../graph/json.js';
import { nodeTemplate } from '../graph/templates.js';
import { failure, type Outcome, type StageStatus } from '../machine/outcome.js';
import { backendAnswer, isSimulated } from './backend-answer.js';
import { backendCall } from './backend-call.js';
import type { CodergenBackend } from './codergen-backend.js';
import { messageOf } from './error-category.js';
import { fitPrompt, type PromptPart, promptParts } from './fit-prompt.js';
import { type Handler, type Stage, StageCrash, StageSuspension } from './handler.js';
import { systemPromptOf } from './system-prompt-of.js';
import { withoutSecrets } from './without-secrets.js';

/** Fields that a fan-in reads of an entry of `parallel.results` (SEMANTICS 50). */
interface Candidate {
  readonly id: string;
  readonly outcome: StageStatus;
  readonly score: number;
  readonly entry: JsonValue;
}

/**
 * Fan-in (§4.9, SEMANTICS 53, 53a): chooses the best of the branches that did not fail. With a prompt and a
 * backend the model chooses; an answer that names no candidate leaves it to the ranking. It consumes the
 * results.
 */
export function fanInHandler(backend?: CodergenBackend): Handler {
  return {
    async execute(stage) {
      const results = stage.context.get('parallel.results');
      const candidates = candidatesOf(results);
      if (Array.isArray(results) && results.length === 0 && stage.context.get('parallel.items') === 0)
        return withoutBest;
      if (candidates.length === 0) return failure('No parallel results to evaluate', { retryable: false });
      const usable = candidates.filter(({ outcome }) => outcome !== 'fail');
      const ranked = [...usable].sort(compareCandidates);
      const [first] = ranked;
      if (first === undefined) return allFailed(candidates);
      const prompt = nodeAttribute(stage.node, 'prompt');
      if (prompt === '') return selected(first);
      if (backend === undefined) stage.markSimulated();
      const chosen = backend && (await askModel(stage, backend, ranked));
      return selected(chosen ?? first);
    },
  };
}

/** Outcome after a list without items (SEMANTICS 106). A second fan-in after the same list has no results at all. */
const withoutBest: Outcome = {
  status: 'success',
  notes: 'There is no candidate: the list has no items',
  context_updates: {
    'parallel.fan_in.best_id': null,
    'parallel.fan_in.best_outcome': null,
    'parallel.fan_in.best': null,
    'parallel.results': null,
  },
};

function allFailed(candidates: readonly Candidate[]): Outcome {
  const ids = candidates.map(({ id }) => id).join(', ');
  return failure(`all parallel branches failed: ${ids}`, { retryable: false, context_updates: usedUp });
}

/**
 * Update that clears the results, so that they are not taken for those of a later parallel node (SEMANTICS
 * 53a).
 */
const usedUp = { 'parallel.results': [] };

function selected(best: Candidate): Outcome {
  return {
    status: 'success',
    notes: `Selected best candidate: ${best.id}`,
    context_updates: {
      'parallel.fan_in.best_id': best.id,
      'parallel.fan_in.best_outcome': best.outcome,
      'parallel.fan_in.best': best.entry,
      ...usedUp,
    },
  };
}

function candidatesOf(results: JsonValue | undefined): readonly Candidate[] {
  if (!Array.isArray(results)) return [];
  return results.flatMap((entry) => {
    if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) return [];
    const { id, outcome, status, score } = entry as Readonly<Record<string, JsonValue>>;
    if (typeof id !== 'string') return [];
    const word = typeof outcome === 'string' ? outcome : status;
    return [{ id, outcome: word as StageStatus, score: Number(score) || 0, entry }];
  });
}

const ranks: ReadonlyMap<StageStatus, number> = new Map([
  ['success', 0],
  ['partial_success', 1],
  ['retry', 2],
  ['skipped', 3],
]);

/**
 * Orders by outcome, then by score, the highest first, then by id (§4.9, SEMANTICS 53); branches of the
 * items of a list keep their order (SEMANTICS 106).
 */
function compareCandidates(one: Candidate, other: Candidate): number {
  const rank = ({ outcome }: Candidate): number => ranks.get(outcome) ?? ranks.size;
  const [id, otherId] = [firstNodeOf(one), firstNodeOf(other)];
  return rank(one) - rank(other) || other.score - one.score || (id < otherId ? -1 : id > otherId ? 1 : 0);
}

function firstNodeOf({ id }: Candidate): string {
  const number = id.lastIndexOf('#');
  return number === -1 ? id : id.slice(0, number);
}

/** Candidate that the model names; undefined if it names none, or the request fails. */
async function askModel(
  stage: Stage,
  backend: CodergenBackend,
  candidates: readonly Candidate[],
): Promise<Candidate | undefined> {
  const { node, context, signal } = stage;
  const parts = promptParts(stage, nodeTemplate(node, 'prompt'));
  const prompt = withoutSecrets(stage, await fitPrompt(stage, [...parts, ...listOf(candidates)], backend));
  stage.writeFile('prompt.md', prompt);
  let answer: string;
  try {
    stage.checkBudget();
    const result = await backend.run(node, prompt, context, {
      ...backendCall(stage),
      systemPrompt: systemPromptOf(stage),
    });
    if (isSimulated(result)) {
      stage.markSimulated();
      return undefined;
    }
    answer = textOf(backendAnswer(result));
  } catch (error) {
    if (signal.aborted || error instanceof StageCrash || error instanceof StageSuspension) throw error;
    stage.log(
      'warning',
      `the model could not choose for "${node.id}" (${messageOf(error)}); the best-ranked branch is chosen`,
    );
    return undefined;
  }
  stage.writeFile('response.md', answer);
  const named = namedIn(answer, candidates);
  if (named === undefined) {
    const ids = candidates.map(({ id }) => id).join(', ');
    stage.log(
      'warning',
      `the model's choice for "${node.id}" is not one of ${ids}; the best-ranked branch is chosen`,
    );
  }
  return named;
}

/** The candidates as parts of a prompt: those of many branches come in a file. */
function listOf(candidates: readonly Candidate[]): readonly PromptPart[] {
  const text = candidates
    .map(({ id, entry }) => `## ${id}\n\n${JSON.stringify(entry, null, 2)}`)
    .join('\n\n');
  const ids = candidates.map(({ id }) => id).join(', ');
  return [
    '\n\n# Candidates\n\n',
    { path: 'parallel.results', value: candidates.map(({ entry }) => entry), text },
    `\n\nAnswer with the id of the best candidate and nothing else: one of ${ids}.`,
  ];
}

function textOf(result: string | Outcome): string {
  if (typeof result === 'string') return result;
  return result.preferred_label ?? result.suggested_next_ids?.[0] ?? result.notes ?? '';
}

/** Candidate whose id is the answer, or the only one mentioned in it. */
function namedIn(answer: string, candidates: readonly Candidate[]): Candidate | undefined {
  const words = new Set(answer.split(/[^A-Za-z0-9_#]+/));
  const mentioned = candidates.filter(({ id }) => id === answer.trim() || words.has(id));
  return mentioned.length === 1 ? mentioned[0] : undefined;
}
