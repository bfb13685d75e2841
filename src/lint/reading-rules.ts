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
      'What the parser cannot read is reported with a code of its own, such as `missing_comma`; `attractor explain CODE` tells about each. The parser continues after the mistake, so that one call shows all of them.',
    saidBy: 'parser',
  },
  {
    name: 'attribute_type',
    severity: 'error',
    fixable: true,
    summary: 'The value of an attribute can be read as its type.',
    rationale:
      'Every attribute has a type, and some have a fixed set of words: `timeout` is a duration such as `900s` or `15m`, `goal_gate` is `true` or `false`, `on_failure` is `stop` or `continue`. What cannot be read is not guessed, so that nothing runs with a limit or a policy that nobody meant. Quotes make no difference: `timeout=15m` and `timeout="15m"` are the same. Where an attribute can do without the value, as with the `weight` of an edge, the finding is a warning.',
    saidBy: 'lowering',
  },
  {
    name: 'retry_budget_non_negative',
    severity: 'error',
    summary: 'A number of retries is a whole number of at least 0.',
    rationale:
      '`max_retries` says how many attempts may follow the first one, `default_max_retries` says it for all stages. Write 0 for no retries. A stage that is to be repeated until something holds needs an edge back, not an endless number of retries.',
    saidBy: 'lowering',
  },
  {
    name: 'duplicate_attribute',
    severity: 'warning',
    fixable: true,
    summary: 'An attribute is set once in a block.',
    rationale:
      'Of two values in one block the last one holds, and the first one is without any effect, though a reader sees it first. Remove one of them.',
    saidBy: 'lowering',
  },
  {
    name: 'subgraph_attribute',
    severity: 'warning',
    summary: 'A subgraph has a label and drawing attributes only.',
    rationale:
      "Inside a `subgraph` only its `label`, which gives the nodes inside a class, and the attributes of drawings mean something. Any other sets neither the pipeline's attribute nor that of the nodes inside. Move it to the top level, or write it into a `node [ … ]` or `edge [ … ]` block for what is inside.",
    saidBy: 'lowering',
  },
  {
    name: 'node_redeclared',
    severity: 'info',
    summary: 'A node is declared once.',
    rationale:
      'Declarations of the same id are merged, and where two of them set an attribute, the later value holds. That is useful to add to a node elsewhere, but two values are often the trace of a copied line whose id was not changed. Rename one, or let one place say it.',
    saidBy: 'lowering',
  },
  {
    name: 'unused_suppression',
    severity: 'warning',
    summary: 'A comment that suppresses findings suppresses at least one, of a rule that there is.',
    rationale:
      'A comment that suppresses nothing would hide the next mistake of its kind, and a misspelt one hides nothing at all. Remove it, or correct the name of the rule. `// attractor-disable-next-line RULE` is about the next line with more on it than a comment, and about the whole statement that begins there, `// attractor-disable RULE` about the whole file; several rules are separated by commas, and a reason may follow after `--`. The rules without which nothing could be run cannot be suppressed.',
    fixable: true,
    saidBy: 'comments',
  },
  {
    name: 'unsupported_feature',
    severity: 'error',
    summary: 'Every stage of a pipeline that is to run has a handler.',
    rationale:
      'Said by `run` and `resume`, not by `lint`: the pipeline is valid, but nothing here can perform the type of one of its nodes. Load the plugin that brings the handler with `--plugin` or in `attractor.config.json`, or give the node another type.',
    saidBy: 'run',
  },
];
