import type { AttributeMap, AttributeValue, Duration } from './graph.js';
import type { BuiltInHandlerType } from './handler-types.js';

/**
 * Attributes of the language, each described once: §2.5–2.7, Appendix A and SEMANTICS §12. Lowering reads
 * the types, readers apply the defaults, lint and the reference docs read the rest.
 */
export interface AttributeDefinition {
  readonly type: AttributeType;
  /** Default if no author wrote the attribute; without one it is unset. */
  readonly default?: string | number | boolean;
  /** Words with a meaning. */
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

export type AttributeOwner = 'graph' | 'node' | 'edge';

type AttributeTable = Readonly<Record<string, AttributeDefinition>>;

export const fidelityModes = [
  'full',
  'truncate',
  'compact',
  'summary:low',
  'summary:medium',
  'summary:high',
] as const;

const codergen = ['codergen'] as const;
const askingModels = ['codergen', 'parallel.fan_in', 'stack.manager_loop'] as const;
const usingModels = [...askingModels, 'pipeline'] as const;
const runningChildren = ['stack.manager_loop', 'pipeline'] as const;
const managers = ['stack.manager_loop'] as const;
const forks = ['parallel'] as const;
const tools = ['tool'] as const;
const gates = ['wait.human'] as const;
/** Stages with an outcome of their own to judge. */
const judged = ['start', ...usingModels, ...tools, ...gates, 'conditional'] as const;
const working = [...usingModels, ...forks, ...tools, ...gates] as const;

const onFailureValues = ['stop', 'continue'] as const;
const retryPolicyValues = ['none', 'standard', 'aggressive', 'linear', 'patient'] as const;

export const graphAttributes = {
  goal: {
    type: 'string',
    default: '',
    doc: 'Purpose of the pipeline. It replaces `$goal` in prompts, and the context has it as `graph.goal`.',
    section: '§2.5',
  },
  label: { type: 'string', default: '', doc: 'The display name of the pipeline.', section: '§2.5' },
  inputs: {
    type: 'string',
    doc: 'The inputs of the pipeline as a list of keys with types, `?` and defaults: `files: list, severity: low|high = low, token: string?`. They are checked before a run begins. A pipeline without the attribute takes any inputs.',
    section: 'SEMANTICS 101',
  },
  env_requires: {
    type: 'string',
    doc: 'Names of environment variables that a run needs, separated by commas. A run without one of them is refused before it begins, unless it is simulated or replayed.',
    section: 'SEMANTICS 101',
  },
  model_stylesheet: {
    type: 'string',
    default: '',
    doc: 'CSS-like rules that give nodes their model, provider and reasoning effort.',
    section: '§2.5',
  },
  default_max_retry: {
    type: 'integer',
    minimum: 0,
    rule: 'retry_budget_non_negative',
    doc: 'Retries of every node that does not set `max_retries` itself. Unset means none.',
    section: '§2.5',
  },
  default_max_retries: {
    type: 'integer',
    minimum: 0,
    rule: 'retry_budget_non_negative',
    doc: 'Another spelling of `default_max_retry`.',
    section: 'SEMANTICS 25',
  },
  retry_target: {
    type: 'string',
    names: 'node',
    default: '',
    doc: 'The node to jump to when the exit is reached while a goal gate is not satisfied.',
    section: '§2.5',
  },
  fallback_retry_target: {
    type: 'string',
    names: 'node',
    default: '',
    doc: 'The second choice, where `retry_target` is unset or names no node.',
    section: '§2.5',
  },
  default_fidelity: {
    type: 'string',
    default: '',
    values: fidelityModes,
    openValues: true,
    doc: 'Amount of history in the prompts of LLM stages, unless the edge or the node sets its own.',
    section: '§2.5',
  },
  default_thread_id: {
    type: 'string',
    default: '',
    doc: 'The session that stages with `full` fidelity share by default.',
    section: '§5.4',
  },
  default_thread: {
    type: 'string',
    default: '',
    doc: 'Another spelling of `default_thread_id`.',
    section: 'SEMANTICS 68',
  },
  thread_id: {
    type: 'string',
    default: '',
    doc: 'Another spelling of `default_thread_id`.',
    section: 'SEMANTICS 68',
  },
  context_thread_default: {
    type: 'string',
    default: '',
    doc: 'Another, deprecated spelling of `default_thread_id`.',
    section: 'SEMANTICS 68a',
  },
  context_fidelity_default: {
    type: 'string',
    default: '',
    values: fidelityModes,
    openValues: true,
    doc: 'Another, deprecated spelling of `default_fidelity`.',
    section: 'SEMANTICS 68a',
  },
  llm_model: {
    type: 'string',
    doc: 'The model of every LLM stage for which neither the node nor the stylesheet names one.',
    section: '§8.5',
  },
  llm_provider: {
    type: 'string',
    doc: 'The provider of every LLM stage for which neither the node nor the stylesheet names one.',
    section: '§8.5',
  },
  reasoning_effort: {
    type: 'string',
    values: ['low', 'medium', 'high'],
    openValues: true,
    doc: 'The reasoning effort of every LLM stage for which neither the node nor the stylesheet names one.',
    section: '§8.5',
  },
  retry_policy: {
    type: 'string',
    values: retryPolicyValues,
    doc: 'The back-off preset of every node that does not set `retry_policy` itself.',
    section: '§3.6',
  },
  retry_on_fail: {
    type: 'string',
    default: 'explicit',
    values: ['explicit', 'always', 'never'],
    doc: 'Retries after a FAIL: only if the node itself sets `max_retries`, always, or never.',
    section: 'SEMANTICS 24',
  },
  on_failure: {
    type: 'string',
    default: 'stop',
    values: onFailureValues,
    doc: 'Effect of a failed stage without a failure route: stop the run, or continue by ordinary edge selection.',
    section: 'SEMANTICS 20',
  },
  max_steps: {
    type: 'integer',
    minimum: 1,
    default: 1000,
    doc: 'Number of stages that a run may execute, retries not counted, before it fails.',
    section: 'SEMANTICS 34',
  },
  max_goal_gate_redirects: {
    type: 'integer',
    minimum: 0,
    default: 50,
    doc: 'Number of times that an unsatisfied goal gate may send a run back before the run fails.',
    section: 'SEMANTICS 34',
  },
  max_restarts: {
    type: 'integer',
    minimum: 0,
    default: 50,
    doc: 'Number of times that `loop_restart` edges may restart a run before it fails.',
    section: 'SEMANTICS 36',
  },
  require_goal_gates: {
    type: 'boolean',
    default: false,
    doc: 'If true, a goal gate that was never visited blocks the exit too.',
    section: 'SEMANTICS 32',
  },
  budget_usd: {
    type: 'number',
    minimum: 0,
    doc: 'Budget of the whole run in US dollars.',
    section: 'SEMANTICS §12',
  },
  budget_tokens: {
    type: 'integer',
    minimum: 0,
    doc: 'Budget of the whole run in tokens.',
    section: 'SEMANTICS §12',
  },
  timeout: { type: 'duration', doc: 'Time limit of the whole run.', section: 'SEMANTICS §12' },
  workdir: {
    type: 'string',
    template: 'text',
    default: '',
    doc: 'The directory in which tools run; relative to where `attractor` was started, which is the default.',
    section: 'SEMANTICS 95',
  },
  git: {
    type: 'boolean',
    default: false,
    doc: 'If set, the stages work in a git worktree of the run, and the changes of each stage are committed on a branch of the run.',
    section: 'SEMANTICS §12',
  },
  'limits.depth': {
    type: 'integer',
    minimum: 0,
    default: 5,
    doc: 'Number of levels of pipelines that may run inside this one. A pipeline inside may lower the rest of it, not raise it.',
    section: '§9.4',
  },
  'stack.child_dotfile': {
    type: 'string',
    default: '',
    doc: 'The pipeline that a manager loop supervises, relative to this file.',
    section: 'App. A',
  },
  'stack.child_workdir': {
    type: 'string',
    template: 'text',
    default: '',
    doc: 'The working directory of the supervised pipeline; relative to where `attractor` was started, which is the default.',
    section: 'App. A',
  },
  'tool_hooks.pre': {
    type: 'string',
    default: '',
    doc: 'A shell command before every tool call of an LLM stage; a non-zero exit skips the call.',
    section: '§9.7',
  },
  'tool_hooks.post': {
    type: 'string',
    default: '',
    doc: 'A shell command after every tool call of an LLM stage.',
    section: '§9.7',
  },
} as const satisfies AttributeTable;

export const nodeAttributes = {
  label: {
    type: 'string',
    template: 'text',
    doc: 'The display name; the node id by default. A human gate asks it.',
    section: '§2.6',
  },
  shape: {
    type: 'string',
    default: 'box',
    doc: 'The Graphviz shape, which selects the handler.',
    section: '§2.6',
  },
  type: {
    type: 'string',
    default: '',
    doc: 'The handler, if it should not follow from the shape.',
    section: '§2.6',
  },
  prompt: {
    type: 'string',
    template: 'text',
    default: '',
    doc: 'Instructions to an LLM stage; `$goal` is replaced by the goal of the pipeline. If it is empty, the label is used. A human gate shows it below its question.',
    kinds: [...askingModels, ...gates],
    section: '§2.6',
  },
  prompt_file: {
    type: 'string',
    default: '',
    doc: 'A file with the prompt, relative to this file, instead of `prompt`. It is read before a run begins, and `$goal` and `${path}` are replaced in it.',
    kinds: [...askingModels, ...gates],
    section: 'SEMANTICS 112',
  },
  tool_command: {
    type: 'string',
    template: 'shell',
    default: '',
    doc: 'Command of a tool stage, run by `sh -c`.',
    kinds: tools,
    section: '§4.10',
  },
  max_retries: {
    type: 'integer',
    minimum: 0,
    rule: 'retry_budget_non_negative',
    doc: 'Number of attempts that may follow the first one. If unset, the graph decides.',
    section: '§2.6',
  },
  retry_policy: {
    type: 'string',
    values: retryPolicyValues,
    doc: 'The back-off preset between attempts; also their number, unless `max_retries` sets it.',
    section: '§3.6',
  },
  goal_gate: {
    type: 'boolean',
    default: false,
    doc: 'If true, this stage must have succeeded before the pipeline may end; for a diamond, the stage whose outcome it passes on.',
    section: '§2.6',
  },
  retry_target: {
    type: 'string',
    names: 'node',
    default: '',
    doc: 'The node to jump to when this stage failed, or when it is an unsatisfied goal gate at the exit.',
    section: '§2.6',
  },
  fallback_retry_target: {
    type: 'string',
    names: 'node',
    default: '',
    doc: 'The second choice, where `retry_target` is unset or names no node.',
    section: '§2.6',
  },
  on_failure: {
    type: 'string',
    values: onFailureValues,
    doc: 'Effect of a failure without a failure route: stop the run, or continue. If unset, the graph decides.',
    section: 'SEMANTICS 20',
  },
  fidelity: {
    type: 'string',
    default: '',
    values: fidelityModes,
    openValues: true,
    doc: 'Amount of history in the prompt of this LLM stage.',
    kinds: codergen,
    section: '§2.6',
  },
  thread_id: {
    type: 'string',
    default: '',
    doc: 'The session that this stage shares under `full` fidelity.',
    kinds: codergen,
    section: '§2.6',
  },
  class: {
    type: 'string',
    default: '',
    doc: 'Class names, separated by commas, for the stylesheet.',
    section: '§2.6',
  },
  timeout: {
    type: 'duration',
    doc: 'Time limit of one attempt; for a human gate, the time to wait for an answer. A bare number is seconds.',
    kinds: working,
    section: '§2.6',
  },
  llm_model: {
    type: 'string',
    doc: 'The model, as its provider calls it.',
    kinds: askingModels,
    section: '§2.6',
  },
  llm_provider: {
    type: 'string',
    doc: 'The provider; if unset, it follows from the model.',
    kinds: askingModels,
    section: '§2.6',
  },
  reasoning_effort: {
    type: 'string',
    values: ['low', 'medium', 'high'],
    openValues: true,
    doc: 'Amount of reasoning; `high` unless the stylesheet or the graph sets another.',
    kinds: askingModels,
    section: '§2.6',
  },
  auto_status: {
    type: 'boolean',
    default: false,
    doc: 'If true, a stage that reports no status counts as a success.',
    kinds: codergen,
    section: '§2.6',
  },
  allow_partial: {
    type: 'boolean',
    default: false,
    doc: 'If true, exhausted retries count as a partial success instead of a failure.',
    section: '§2.6',
  },
  max_visits: {
    type: 'integer',
    minimum: 1,
    doc: 'Number of times that a run may enter this node before it fails; unlimited by default.',
    section: 'SEMANTICS 34',
  },
  idempotent: {
    type: 'boolean',
    default: true,
    doc: 'If true, a stage that was cut off by a crash simply runs again; otherwise `resume` asks.',
    section: 'SEMANTICS §12',
  },
  reads: {
    type: 'string',
    default: '',
    doc: 'Context keys that this stage reads, separated by commas; lint warns of keys that no earlier stage sets (`read_before_write`). It has no effect on a run.',
    section: 'SEMANTICS §12',
  },
  writes: {
    type: 'string',
    default: '',
    doc: 'Context keys that a success of this stage has set, with types: `verdict: pass|fail, findings: list, note: string?`. A success without them fails. They are cleared when the stage begins again, unless `reads` lists them too.',
    kinds: judged,
    section: 'SEMANTICS 103',
  },
  output: {
    type: 'string',
    default: 'text',
    values: ['text', 'json'],
    doc: 'Form of the standard output of a tool. With `json` it is exactly one JSON value, which is in the context as `tool.json`.',
    kinds: tools,
    section: 'SEMANTICS 103',
  },
  fail_when: {
    type: 'string',
    default: '',
    doc: 'Condition that makes a failure of a success of this stage. `true` on a diamond fails there, with its label as the reason.',
    kinds: judged,
    section: 'SEMANTICS 103',
  },
  retry_when: {
    type: 'string',
    default: '',
    doc: 'Condition under which a failure of this stage may be retried; other failures are not, unless the error itself may pass.',
    kinds: [...codergen, ...managers, 'pipeline', ...tools],
    section: 'SEMANTICS 103',
  },
  workdir: {
    type: 'string',
    template: 'text',
    default: '',
    doc: "The directory in which this tool or this child pipeline runs; the graph's by default.",
    kinds: [...tools, ...runningChildren],
    section: 'SEMANTICS 95',
  },
  child: {
    type: 'string',
    default: '',
    doc: 'The pipeline that this stage runs, relative to this file; a manager loop without it takes `stack.child_dotfile`.',
    kinds: runningChildren,
    section: '§9.4',
  },
  'params.*': {
    type: 'any',
    template: 'text',
    doc: 'Every attribute `params.<key>` gives the child pipeline its input `<key>`. A value that is only one `${path}` keeps its type.',
    kinds: runningChildren,
    section: '§9.4',
  },
  'human.text': {
    type: 'string',
    values: ['optional', 'required'],
    doc: 'Lets a person write a text besides the choice: `optional`, or `required`. A gate with a single edge without a label and `required` asks for the text alone. The context then has it as `human.gate.text`.',
    kinds: gates,
    section: 'SEMANTICS 109',
  },
  'assign.*': {
    type: 'any',
    template: 'text',
    doc: 'Every attribute `assign.<key>` sets the context key `<key>` when the stage has not failed. A value that is only one `${path}` keeps its type, and so do the texts within a JSON list or map.',
    kinds: judged,
    section: 'SEMANTICS 102',
  },
  'human.default_choice': {
    type: 'string',
    names: 'choice',
    default: '',
    doc: 'The choice that a human gate takes when its timeout passes: a key, a label or a target.',
    kinds: gates,
    section: '§6.5',
  },
  foreach: {
    type: 'string',
    template: 'text',
    default: '',
    doc: 'A list, as one `${path}`: the parallel node runs its only branch once for each item.',
    kinds: forks,
    section: 'SEMANTICS 106',
  },
  as: {
    type: 'string',
    default: 'item',
    doc: 'The context key under which the stages of a `foreach` branch find their item.',
    kinds: forks,
    section: 'SEMANTICS 106',
  },
  join: {
    type: 'string',
    names: 'node',
    default: '',
    doc: 'The node at which the branches of a parallel node end and the run continues. Unset, it is the nearest fan-in that all branches reach, else the nearest node that all of them reach, else the exit.',
    kinds: forks,
    section: 'SEMANTICS 106',
  },
  join_policy: {
    type: 'string',
    default: 'wait_all',
    values: ['wait_all', 'k_of_n', 'first_success', 'quorum'],
    doc: 'Condition under which the branches of a parallel node count as joined.',
    kinds: forks,
    section: '§4.8',
  },
  join_k: {
    type: 'integer',
    minimum: 1,
    default: 1,
    doc: 'Number of branches that must succeed under `join_policy=k_of_n`.',
    kinds: forks,
    section: 'SEMANTICS 49',
  },
  join_quorum: {
    type: 'number',
    minimum: 0,
    default: 0.5,
    doc: 'Fraction of the branches that must succeed under `join_policy=quorum`.',
    kinds: forks,
    section: 'SEMANTICS 49',
  },
  error_policy: {
    type: 'string',
    default: 'continue',
    values: ['fail_fast', 'continue', 'ignore'],
    doc: 'Effect of a failed branch on the other branches.',
    kinds: forks,
    section: '§4.8',
  },
  on_conflict: {
    type: 'string',
    default: 'isolate',
    values: ['isolate', 'last_wins', 'first_wins', 'error'],
    doc: 'Merging of the values that the branches have set, at their join. `isolate` merges none; under `last_wins` and `first_wins` the order of the branches decides; under `error` two different values of one key are a failure.',
    kinds: forks,
    section: 'SEMANTICS 107',
  },
  max_parallel: {
    type: 'integer',
    minimum: 1,
    default: 4,
    doc: 'Number of branches that run at the same time.',
    kinds: forks,
    section: '§4.8',
  },
  budget_usd: {
    type: 'number',
    minimum: 0,
    doc: 'Budget of one visit of this stage in US dollars.',
    kinds: usingModels,
    section: 'SEMANTICS §12',
  },
  budget_tokens: {
    type: 'integer',
    minimum: 0,
    doc: 'Budget of one visit of this stage in tokens.',
    kinds: usingModels,
    section: 'SEMANTICS §12',
  },
  'manager.poll_interval': {
    type: 'duration',
    default: 45_000,
    doc: 'Time between two looks of a manager loop at its child.',
    kinds: managers,
    section: '§4.11',
  },
  'manager.max_cycles': {
    type: 'integer',
    minimum: 1,
    default: 1000,
    doc: 'Number of looks that a manager loop takes before it fails.',
    kinds: managers,
    section: '§4.11',
  },
  'manager.stop_condition': {
    type: 'string',
    default: '',
    doc: 'A condition that ends a manager loop with success.',
    kinds: managers,
    section: '§4.11',
  },
  'manager.actions': {
    type: 'string',
    default: 'observe,wait',
    doc: 'Actions of a manager loop in each cycle: `observe`, `steer`, `wait`, separated by commas.',
    kinds: managers,
    section: '§4.11',
  },
  'manager.steer_cooldown': {
    type: 'duration',
    doc: 'Time between two instructions of a manager loop to its child; `manager.poll_interval` by default.',
    kinds: managers,
    section: '§4.11',
  },
  'stack.child_autostart': {
    type: 'boolean',
    default: true,
    doc: 'If true, a manager loop starts its child itself.',
    kinds: managers,
    section: '§4.11',
  },
  tools: {
    type: 'string',
    default: '',
    doc: 'Names of the tools that the model of this stage has, separated by commas: all tools by default, `none` for no tool.',
    kinds: askingModels,
    section: 'SEMANTICS §12',
  },
  'tool_hooks.pre': {
    type: 'string',
    default: '',
    doc: "A shell command before every tool call of this stage; overrides the graph's.",
    kinds: askingModels,
    section: '§9.7',
  },
  'tool_hooks.post': {
    type: 'string',
    default: '',
    doc: "A shell command after every tool call of this stage; overrides the graph's.",
    kinds: askingModels,
    section: '§9.7',
  },
} as const satisfies AttributeTable;

export const edgeAttributes = {
  label: {
    type: 'string',
    default: '',
    doc: 'The caption; an outcome may choose the edge by it, and a human gate offers it as a choice.',
    section: '§2.7',
  },
  condition: {
    type: 'string',
    default: '',
    doc: 'Condition under which the edge may be taken; an edge without one may always be taken.',
    section: '§2.7',
  },
  weight: {
    type: 'number',
    wholeNumberExpected: true,
    lenient: true,
    default: 0,
    doc: 'Priority among eligible edges: the greatest weight is taken.',
    section: '§2.7',
  },
  fidelity: {
    type: 'string',
    default: '',
    values: fidelityModes,
    openValues: true,
    doc: "The fidelity of the target node when it is entered by this edge; overrides the node's.",
    section: '§2.7',
  },
  thread_id: {
    type: 'string',
    default: '',
    doc: 'The session of the target node when it is entered by this edge.',
    section: '§2.7',
  },
  loop_restart: {
    type: 'boolean',
    default: false,
    doc: 'If true, taking this edge restarts the run with a fresh directory and context.',
    section: '§2.7',
  },
} as const satisfies AttributeTable;

const tables: Readonly<Record<AttributeOwner, AttributeTable>> = {
  graph: graphAttributes,
  node: nodeAttributes,
  edge: edgeAttributes,
};

/** Row of an attribute, or undefined for an unknown name. */
export function attributeDefinition(owner: AttributeOwner, name: string): AttributeDefinition | undefined {
  const family = owner === 'node' ? families.find((prefix) => name.startsWith(prefix)) : undefined;
  const row = family === undefined ? name : `${family}*`;
  return Object.hasOwn(tables[owner], row) ? tables[owner][row] : undefined;
}

/** Prefix of attributes that are inputs of a child pipeline (§9.4). */
export const parameterPrefix = 'params.';

/** Prefix of attributes that set a context key (SEMANTICS 102). */
export const assignPrefix = 'assign.';

/** Prefixes of attributes of nodes whose names authors complete. */
export const families: readonly string[] = [parameterPrefix, assignPrefix];

/** Names of an owner's attributes, in the order of the table. */
export function attributeNames(owner: AttributeOwner): readonly string[] {
  return Object.keys(tables[owner]);
}

/** Attributes of a node that stages of a kind read and not all stages do, in the order of the table. */
export function attributesOfKind(kind: string): readonly string[] {
  return Object.keys(tables.node).filter((name) => tables.node[name]?.kinds?.some((one) => one === kind));
}

const graphDefaults = defaultsIn(graphAttributes);
const nodeDefaults = defaultsIn(nodeAttributes);
const edgeDefaults = defaultsIn(edgeAttributes);

interface HasAttributes {
  readonly attributes: AttributeMap;
}

type ValueOfType<Type extends AttributeType> = Type extends 'string'
  ? string
  : Type extends 'integer' | 'number'
    ? number
    : Type extends 'boolean'
      ? boolean
      : Type extends 'any'
        ? AttributeValue
        : Duration;

type ReadValue<Definition extends AttributeDefinition> =
  | ValueOfType<Definition['type']>
  | (Definition extends { readonly default: string | number | boolean } ? never : undefined);

/** A graph attribute with its default applied, typed by the table. */
export function graphAttribute<Name extends keyof typeof graphAttributes>(
  graph: HasAttributes,
  name: Name,
): ReadValue<(typeof graphAttributes)[Name]> {
  return readAttribute(graphDefaults, graph, name) as ReadValue<(typeof graphAttributes)[Name]>;
}

/** A node attribute with its default applied, typed by the table. */
export function nodeAttribute<Name extends keyof typeof nodeAttributes>(
  node: HasAttributes,
  name: Name,
): ReadValue<(typeof nodeAttributes)[Name]> {
  return readAttribute(nodeDefaults, node, name) as ReadValue<(typeof nodeAttributes)[Name]>;
}

/** An edge attribute with its default applied, typed by the table. */
export function edgeAttribute<Name extends keyof typeof edgeAttributes>(
  edge: HasAttributes,
  name: Name,
): ReadValue<(typeof edgeAttributes)[Name]> {
  return readAttribute(edgeDefaults, edge, name) as ReadValue<(typeof edgeAttributes)[Name]>;
}

function readAttribute(
  defaults: ReadonlyMap<string, AttributeValue>,
  owner: HasAttributes,
  name: string,
): AttributeValue | undefined {
  const written = owner.attributes.get(name);
  return written === undefined ? defaults.get(name) : written.value;
}

function defaultsIn(table: AttributeTable): ReadonlyMap<string, AttributeValue> {
  const defaults = new Map<string, AttributeValue>();
  for (const [name, definition] of Object.entries(table)) {
    if (definition.default === undefined) continue;
    const isDuration = definition.type === 'duration';
    const value = isDuration ? millisecondsOf(Number(definition.default)) : definition.default;
    defaults.set(name, value);
  }
  return defaults;
}

function millisecondsOf(milliseconds: number): Duration {
  return { milliseconds, text: `${milliseconds}ms` };
}
