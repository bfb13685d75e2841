import { asksModel } from '../../graph/asks-model.js';
import type { Quantity } from './bound-run.js';

/** Visits of stages, without start and exit. */
export const stageVisits: Quantity = { per: 'visit', each: () => 1 };

/** Attempts of LLM stages, and of a fan-in with a prompt. */
export const modelAttempts: Quantity = {
  per: 'attempt',
  each: ({ node, handler }) => (handler.llm || (handler.joins && asksModel(node, handler)) ? 1 : 0),
};
