import type { Span } from '../diagnostic/source.js';
import { graphAttribute, nodeAttribute } from './attributes.js';
import type { Graph, Node } from './graph.js';

/**
 * Model that a stage asks for; undefined if neither the stage, nor the stylesheet, nor the graph names one.
 */
export interface ModelChoice {
  readonly provider: string | undefined;
  readonly model: string | undefined;
  readonly reasoningEffort: string;
}

/** Default without any attribute (§2.6). */
const defaultEffort = 'high';

/**
 * Model of a stage: that of the node, after the stylesheet, else the graph's (§2.6, §8.5, SEMANTICS 47,
 * 47a).
 */
export function modelChoice(graph: Graph, node: Node): ModelChoice {
  return {
    provider: nodeAttribute(node, 'llm_provider') || graphAttribute(graph, 'llm_provider') || undefined,
    model: nodeAttribute(node, 'llm_model') || graphAttribute(graph, 'llm_model') || undefined,
    reasoningEffort:
      nodeAttribute(node, 'reasoning_effort') || graphAttribute(graph, 'reasoning_effort') || defaultEffort,
  };
}

/** Model with the name of its provider, as in `llm_fallback`: `openai/gpt-5.2`. */
export interface NamedModel {
  readonly provider: string;
  readonly model: string;
}

/**
 * Models that answer, in this order, after the stage's own has used up the retries of a request (SEMANTICS 130): those
 * of the node, after the stylesheet, else the graph's. Each once; entries that cannot be read are left to lint.
 */
export function modelFallbacks(graph: Graph, node: Node): readonly NamedModel[] {
  const written = nodeAttribute(node, 'llm_fallback') || graphAttribute(graph, 'llm_fallback') || '';
  const named = fallbackEntries(written).flatMap(({ named }) => named ?? []);
  return [...new Map(named.map((one) => [nameOfModel(one), one])).values()];
}

/** Entry of `llm_fallback`. */
export interface FallbackEntry {
  readonly text: string;
  /** Position in the list. */
  readonly span: Span;
  /** Undefined if it is not `provider/model`. */
  readonly named: NamedModel | undefined;
}

/** Entries of the list in `llm_fallback`, between commas; none for an empty text. */
export function fallbackEntries(list: string): readonly FallbackEntry[] {
  if (list.trim() === '') return [];
  let from = 0;
  return list.split(',').map((part) => {
    const text = part.trim();
    const start = from + part.length - part.trimStart().length;
    from += part.length + 1;
    return { text, span: { start, end: start + text.length }, named: readNamedModel(text) };
  });
}

function readNamedModel(text: string): NamedModel | undefined {
  const slash = text.indexOf('/');
  if (slash <= 0 || slash === text.length - 1 || /\s/.test(text)) return undefined;
  return { provider: text.slice(0, slash).toLowerCase(), model: text.slice(slash + 1) };
}

/** Name of a model with its provider: `openai/gpt-5.2`. */
export function nameOfModel({ provider, model }: NamedModel): string {
  return `${provider}/${model}`;
}

/** Providers that need no description in the configuration (§8.5). */
export const builtInProviders = [
  'anthropic',
  'openai',
  'google',
  'gemini',
  'ollama',
  'vllm',
  'lmstudio',
  'openrouter',
] as const;
