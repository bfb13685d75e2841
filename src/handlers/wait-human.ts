import { nodeAttribute } from '../graph/attributes.js';
import {
  asksForTextAlone,
  type Choice,
  describeChoice,
  distinctLabel,
  gateChoices,
  matchChoice,
} from '../graph/choices.js';
import { isPresent } from '../graph/look-up.js';
import { nodeTemplate } from '../graph/templates.js';
import type { Answer, AskedWords, QuestionOption } from '../machine/interview.js';
import { failure, type Outcome } from '../machine/outcome.js';
import type { Handler, Stage } from './handler.js';
import { renderForStage } from './stage-values.js';

/** Human gate (§4.6): offers the outgoing edges as choices and prefers the chosen one (SEMANTICS 55–58). */
export const waitHumanHandler: Handler = {
  async execute(stage) {
    const { node, graph } = stage;
    const choices = gateChoices(graph, node.id);
    if (choices.length === 0) return failure('No outgoing edges for human gate', { retryable: false });
    const timeout = nodeAttribute(node, 'timeout');
    const defaultChoice = defaultChoiceOf(stage, choices);
    const prompt = renderForStage(stage, nodeTemplate(node, 'prompt'));
    const targets = Object.fromEntries(choices.map(({ key, to }) => [key, to]));
    const words = askedWords(stage);
    const isTextAlone = asksForTextAlone(choices, words);
    const answer = await stage.ask({
      text:
        renderForStage(stage, nodeTemplate(node, 'label')) ||
        (isTextAlone ? 'Write a text:' : 'Select an option:'),
      type: isTextAlone ? 'FREEFORM' : 'MULTIPLE_CHOICE',
      options: isTextAlone ? [] : choices.map(asOption),
      words,
      timeout_seconds: timeout && timeout.milliseconds / 1000,
      // A default has no text.
      default:
        words === 'required' || defaultChoice === undefined
          ? undefined
          : { value: defaultChoice.key, selected_option: asOption(defaultChoice) },
      metadata: prompt === '' ? { targets } : { targets, prompt },
    });
    return outcomeOf(stage, choices, answer);
  },
};

/** Text that the gate asks for besides the choice (SEMANTICS 109). */
function askedWords({ node }: Stage): AskedWords | undefined {
  const written = nodeAttribute(node, 'human.text');
  return written === 'optional' || written === 'required' ? written : undefined;
}

function asOption({ key, label }: Choice): QuestionOption {
  return { key, label };
}

function defaultChoiceOf(stage: Stage, choices: readonly Choice[]): Choice | undefined {
  const written = nodeAttribute(stage.node, 'human.default_choice');
  if (written === '') return undefined;
  const choice = matchChoice(choices, written);
  if (choice === undefined) {
    const known = choices.map(describeChoice).join(', ');
    stage.log(
      'warning',
      `human.default_choice of "${stage.node.id}" is "${written}", which is not one of its choices: ${known}`,
    );
  }
  return choice;
}

function outcomeOf(stage: Stage, choices: readonly Choice[], answer: Answer): Outcome {
  if (answer.value === 'TIMEOUT') {
    return { status: 'retry', failure_reason: 'human gate timeout, no default' };
  }
  if (answer.value === 'SKIPPED') return failure('human skipped interaction', { retryable: false });
  const words = askedWords(stage);
  const selected = asksForTextAlone(choices, words)
    ? first(choices)
    : (matchChoice(choices, answer.selected_option?.key ?? answer.value) ?? fallback(stage, choices, answer));
  const label = distinctLabel(choices, selected);
  return {
    status: 'success',
    preferred_label: label,
    suggested_next_ids: [selected.to],
    context_updates: {
      'human.gate.selected': selected.key,
      'human.gate.label': selected.label,
      'human.gate.target': selected.to,
      ...textUpdate(stage, words, answer),
    },
    notes: answer.by_default
      ? `Nobody answered in time; the default was taken: ${selected.label}`
      : `Chosen: ${selected.label}`,
  };
}

/**
 * Choice for an answer that was not offered, which only a program can give; interviewers for people ask
 * again (SEMANTICS 55c).
 */
function fallback(stage: Stage, choices: readonly Choice[], answer: Answer): Choice {
  const taken = first(choices);
  stage.log(
    'warning',
    `"${stage.node.id}" was answered "${answer.value}", which is not one of its choices; "${taken.label}" is taken`,
  );
  return taken;
}

function first(choices: readonly Choice[]): Choice {
  const [choice] = choices;
  if (choice === undefined) throw new Error('a gate without choices asked a question');
  return choice;
}

/** Text of a gate that asks for one; that of an earlier gate is removed. */
function textUpdate(
  { context }: Stage,
  words: AskedWords | undefined,
  { text = '' }: Answer,
): Readonly<Record<string, string | null>> {
  if (words !== undefined) return { 'human.gate.text': text };
  return isPresent(context.get('human.gate.text')) ? { 'human.gate.text': null } : {};
}
