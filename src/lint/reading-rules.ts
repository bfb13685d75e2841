import type { RuleDescription } from './rule.js';

/** Rule without a function. */
export interface ReadingRule extends RuleDescription {
  readonly rationale: string;
  /**
   * Source of its findings: the parser, the lowering to a graph, the reader of suppressing comments, or a
   * run that is about to start.
   */
  readonly saidBy: 'parser' | 'lowering' | 'comments' | 'run';
}

/**
 * Rules that are checked before any other runs, while a text becomes a graph (SEMANTICS 3–6, 17, 17b, 17c,
 * 91), or when a run begins.
 */
export const readingRules: readonly ReadingRule[] = [
  {
    name: 'syntax',
    severity: 'error',
    fixable: true,
    summary: 'The text is a pipeline in the DOT subset of the specification.',
    rationale:
      'Every syntax error has its own code, such as `missing_comma`; `attractor explain CODE` describes it. The parser continues after an error, so one call shows all of them.',
    saidBy: 'parser',
  },
  {
    name: 'attribute_type',
    severity: 'error',
    fixable: true,
    summary: 'The value of every attribute has the type of the attribute.',
    rationale:
      'Every attribute has a type, and some have a fixed set of values: `timeout` is a duration such as `900s` or `15m`, `goal_gate` is `true` or `false`, `on_failure` is `stop` or `continue`. An invalid value is never guessed, so nothing runs with an unintended limit or policy. Quotes make no difference: `timeout=15m` and `timeout="15m"` are the same. If the attribute can work without the value, as with the `weight` of an edge, the finding is a warning.',
    saidBy: 'lowering',
  },
  {
    name: 'retry_budget_non_negative',
    severity: 'error',
    summary: 'A number of retries is a whole number of at least 0.',
    rationale:
      '`max_retries` is the number of attempts after the first one; `default_max_retries` sets it for all stages. Write 0 for no retries. To repeat a stage until a condition holds, use an edge back instead of an endless number of retries.',
    saidBy: 'lowering',
  },
  {
    name: 'duplicate_attribute',
    severity: 'warning',
    tag: 'unnecessary',
    fixable: true,
    summary: 'An attribute is set once in a block.',
    rationale:
      'If a block sets an attribute twice, the last value wins and the first has no effect, although a reader sees it first. Remove one of them.',
    saidBy: 'lowering',
  },
  {
    name: 'subgraph_attribute',
    severity: 'warning',
    tag: 'unnecessary',
    summary: 'A subgraph only has a label and drawing attributes.',
    rationale:
      'In a `subgraph` only its `label`, which gives a class to the nodes inside, and drawing attributes have an effect. Any other attribute sets neither the attribute of the pipeline nor that of the nodes inside. Move it to the top level, or write it into a `node [ … ]` or `edge [ … ]` block inside the subgraph.',
    saidBy: 'lowering',
  },
  {
    name: 'node_redeclared',
    severity: 'info',
    summary: 'A node is declared once.',
    rationale:
      'Declarations of the same id are merged, and if several set the same attribute, the last value wins. This is useful for adding attributes elsewhere, but two values often come from a copied line whose id was not changed. Rename one node, or keep one value.',
    saidBy: 'lowering',
  },
  {
    name: 'unused_suppression',
    severity: 'warning',
    tag: 'unnecessary',
    summary: 'A comment that suppresses findings names existing rules and suppresses at least one finding.',
    rationale:
      'A comment that suppresses nothing would hide the next mistake of its kind, and one with a typo hides nothing at all. Remove it, or correct the name of the rule. `// attractor-disable-next-line RULE` applies to the next line that is not just a comment, and to the whole statement that begins there; `// attractor-disable RULE` applies to the whole file. Separate several rules with commas; a reason may follow after `--`. Rules that every run depends on cannot be suppressed.',
    fixable: true,
    saidBy: 'comments',
  },
  {
    name: 'unsupported_feature',
    severity: 'error',
    summary: 'Every stage of a pipeline that runs has a handler.',
    rationale:
      'Reported by `run` and `resume`, not by `lint`: the pipeline is valid, but no handler is available for the type of one of its nodes. Load the plugin that provides it with `--plugin` or in `attractor.config.json`, or give the node another type.',
    saidBy: 'run',
  },
];
