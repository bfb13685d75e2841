import type { BuiltInHandlerType } from '../handler-types.js';

/**
 * Row of an attribute: each is described once (§2.5–2.7, Appendix A and SEMANTICS §12). Lowering reads the
 * types, readers apply the defaults, lint and the reference docs read the rest.
 */
export interface AttributeDefinition {
  readonly type: AttributeType;
  /** Default if no author wrote the attribute; without one it is unset. */
  readonly default?: string | number | boolean;
  /** Words with a meaning; of a number, those that may stand in its place. */
  readonly values?: readonly string[];
  /** Other words are not an error: a provider may know more of them, or a lint rule checks them. */
  readonly openValues?: true;
  /** An unreadable value is a warning and counts as unset, not an error (SEMANTICS 6). */
  readonly lenient?: true;
  /** Minimum of a number. */
  readonly minimum?: number;
  /** A fraction is a warning (SEMANTICS 6). */
  readonly wholeNumberExpected?: true;
  /** Takes `${path}` (SEMANTICS §12 "Values at run time"): as a text, or as a command that gets the values as variables. */
  readonly template?: 'text' | 'shell';
  /** Kind of the names in the value: ids of nodes, or choices of a gate, which have other names too. */
  readonly names?: 'node' | 'choice';
  /** Kinds of stages that read it, of a node's; all do without it. A handler of a plugin may read any attribute. */
  readonly kinds?: readonly BuiltInHandlerType[];
  /** Rule that reports an unreadable value, if not the general one. */
  readonly rule?: string;
  readonly doc: string;
  /** Section of the specification; `SEMANTICS` for additions of this project. */
  readonly section: string;
}

/**
 * `number` is for a value that ought to be an integer but is compared as it is (`weight=1.5`, SEMANTICS 6);
 * `any` keeps the type of its spelling.
 */
export type AttributeType = 'string' | 'integer' | 'number' | 'boolean' | 'duration' | 'any';

export type AttributeTable = Readonly<Record<string, AttributeDefinition>>;

/** Amounts of history in a prompt (§5.4). */
export const fidelityModes = [
  'full',
  'truncate',
  'compact',
  'summary:low',
  'summary:medium',
  'summary:high',
] as const;

/** Words of `on_failure`. */
export const onFailureValues = ['stop', 'continue'] as const;

/** Presets of `retry_policy`. */
export const retryPolicyValues = ['none', 'standard', 'aggressive', 'linear', 'patient'] as const;
