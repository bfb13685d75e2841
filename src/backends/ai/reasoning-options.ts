import type { ModelAddress } from './find-provider.js';
import type { ProviderKind } from './known-providers.js';

/** Reasoning effort in the options of a provider. */
export interface ReasoningOptions {
  /** Empty if the model does not reason, or the provider has no setting for it. */
  readonly options: Readonly<Record<string, OptionValue>>;
  /** Description of a setting that could not be passed on. */
  readonly warning?: string;
}

type OptionValue = string | number | boolean | { readonly [name: string]: OptionValue };

const none: ReasoningOptions = { options: {} };

/**
 * Options for `reasoning_effort` (§8.5, SEMANTICS 47a): low, medium and high, and words that the provider
 * knows.
 */
export function reasoningOptions({ kind, model }: Target, effort: string): ReasoningOptions {
  return optionsOf[kind](model.toLowerCase(), effort);
}

type Target = Pick<ModelAddress, 'kind' | 'model'>;

const optionsOf: Readonly<Record<ProviderKind, (model: string, effort: string) => ReasoningOptions>> = {
  anthropic(model, effort): ReasoningOptions {
    if (/^claude-(?:[12]|instant|3-(?!7))/.test(model)) return none;
    const budget = budgets.get(effort);
    const thinking = budget && { type: 'enabled', budgetTokens: budget.anthropic };
    // Before 4.5 there is a budget only, with Opus 4.5 both, and later models set their budget themselves.
    if (/^claude-(?:3-7|(?:opus|sonnet|haiku)-4(?:$|-[015](?!\d)|-\d{3,}))/.test(model)) {
      if (thinking === undefined) return refused(effort, ['low', 'medium', 'high']);
      return { options: /opus-4-5/.test(model) ? { thinking, effort } : { thinking } };
    }
    const efforts = ['low', 'medium', 'high', 'xhigh', 'max'];
    if (!efforts.includes(effort)) return refused(effort, efforts);
    return { options: { thinking: { type: 'adaptive' }, effort } };
  },
  openai(model, effort): ReasoningOptions {
    const thinks = /^(?:o\d|codex|gpt-(?:[5-9]|\d\d))/.test(model) && !/^gpt-5-chat/.test(model);
    return thinks ? { options: { reasoningEffort: effort } } : none;
  },
  google(model, effort): ReasoningOptions {
    if (!/^gemini-(?:2\.5|[3-9]|\d\d)/.test(model)) return none;
    if (!/^gemini-2\.5/.test(model)) {
      const levels = ['minimal', 'low', 'medium', 'high'];
      if (!levels.includes(effort)) return refused(effort, levels);
      return { options: { thinkingConfig: { thinkingLevel: effort, includeThoughts: true } } };
    }
    const budget = budgets.get(effort);
    if (budget === undefined) return refused(effort, ['low', 'medium', 'high']);
    return { options: { thinkingConfig: { thinkingBudget: budget.google, includeThoughts: true } } };
  },
  'openai-compatible': () => none,
};

/** Reasoning budgets in tokens, for models that take a number instead of a word. */
const budgets: ReadonlyMap<string, { readonly anthropic: number; readonly google: number }> = new Map([
  ['low', { anthropic: 4096, google: 1024 }],
  ['medium', { anthropic: 10_000, google: 8192 }],
  ['high', { anthropic: 24_000, google: 24_576 }],
]);

function refused(effort: string, known: readonly string[]): ReasoningOptions {
  return {
    options: {},
    warning: `reasoning_effort "${effort}" is not supported by this model, which uses its own default: use one of ${known.join(', ')}`,
  };
}
