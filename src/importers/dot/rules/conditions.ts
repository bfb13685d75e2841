import { stageStatuses, statusAliases } from '../../../graph/stage-status.js';
import type { TextRule } from '../dot-dialect.js';

/** `outcome=succeeded`: the words of other tools for statuses. */
export const outcomeWords: readonly TextRule[] = [
  {
    pattern: /\b((?:outcome|status)\s*(?:==|!=|=)\s*(?:\\")?)(\w+)\b/g,
    replace: ([, before = '', word = '']) => {
      const status = statusAliases.get(word);
      return status === undefined ? undefined : `${before}${status}`;
    },
  },
];

const classes: ReadonlyMap<string, string> = new Map([
  ['transient_infra', 'retryable'],
  ['transient', 'retryable'],
  ['deterministic', 'terminal'],
  ['structural', 'terminal'],
]);

/** `failure_class=transient_infra` of fabro and kilroy. */
export const failureClass: TextRule = {
  pattern: /\b(?:context\.)?failure_class\s*(==|!=|=)\s*(\w+)/g,
  replace: ([whole = '', operator = '', name = '']) => {
    const category = classes.get(name);
    if (category !== undefined) return `result.failure_category${operator === '!=' ? '!=' : '='}${category}`;
    return {
      kind: 'lost',
      message: `${whole}: failures have the categories retryable, terminal and pipeline here`,
    };
  },
};

/** A word that is not a status is routed by as a label; a status file must then have it as `preferred_label`. */
export const outcomeLabels: TextRule = {
  pattern: /\boutcome\s*(==|!=|=)\s*(\w+)\b/g,
  replace: ([, operator = '', word = '']) =>
    stageStatuses.some((status) => status === word) || statusAliases.has(word)
      ? undefined
      : `preferred_label${operator === '!=' ? '!=' : '='}${word}`,
};

/** Outcomes that authors made up work with a flag of the run. */
export const customOutcomes: TextRule = {
  pattern: /\boutcome\s*(?:==|!=|=)\s*(\w+)\b/g,
  replace: ([, word = '']) =>
    stageStatuses.some((status) => status === word) || statusAliases.has(word)
      ? undefined
      : {
          kind: 'changed',
          message: `outcome=${word} is an outcome of its own: run this pipeline with --custom-outcomes`,
        },
};

/** The number of restarts; missing before the first one. */
export const restartCount: readonly TextRule[] = [
  {
    pattern: /\b(?:context\.)?internal\.loop_restart_count\s*(==|!=|=)\s*0\b/g,
    replace: ([, operator = '']) =>
      operator === '!=' ? 'internal.restart_count > 0' : '!(internal.restart_count > 0)',
  },
  { pattern: /\b(?:context\.)?internal\.loop_restart_count\b/g, replace: () => 'internal.restart_count' },
];
