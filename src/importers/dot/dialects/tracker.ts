import { outgoingEdges } from '../../../graph/queries.js';
import {
  type AttributeRule,
  byValue,
  type DotDialect,
  lost,
  needless,
  renamed,
  revalued,
} from '../dot-dialect.js';
import { child } from '../rules/attributes.js';
import { outcomeWords } from '../rules/conditions.js';
import { elseEdgesTakeFailures } from '../rules/failures.js';
import { goalOutsidePrompts } from '../rules/texts.js';
import { specification } from './specification.js';

/** `mode="freeform"` asks for words; where edges have labels, the words choose one of them. */
const freeform: AttributeRule = ({ nodeId, graph, beside }) => {
  if (beside.has('human.text')) return { attributes: [] };
  const edges = nodeId === undefined ? [] : outgoingEdges(graph, nodeId);
  const isAlone = edges.length === 1 && !edges[0]?.attributes.has('label');
  if (isAlone) return { attributes: [{ name: 'human.text', raw: 'required' }] };
  return {
    attributes: [{ name: 'human.text', raw: 'optional' }],
    note: {
      kind: 'changed',
      message: 'a person chooses a label and may add words; in tracker, the words chose the label',
    },
  };
};

/** Yes and No of a `yes_no` gate are outcomes there, and labels here. */
const condition: AttributeRule = ({ attribute, edgeFrom, graph, beside }) => {
  const gate = edgeFrom === undefined ? undefined : graph.nodes.get(edgeFrom);
  if (gate?.attributes.get('mode')?.value !== 'yes_no') return undefined;
  const [, operator, word] =
    /^(?:ctx\.|context\.)?outcome\s*(==?|!=)\s*(success|fail)$/.exec(attribute.value.text.trim()) ?? [];
  if (word === undefined) return undefined;
  const isYes = (word === 'success') === (operator !== '!=');
  return {
    attributes: beside.has('label') ? [] : [{ name: 'label', raw: isYes ? '"[Y] Yes"' : '"[N] No"' }],
  };
};

const keysOfTracker: ReadonlyMap<string, string> = new Map([
  ['human_response', 'context.human.gate.text'],
  ['tool_stdout', 'context.tool.output'],
  ['tool_stderr', 'context.tool.stderr'],
  ['interview_answers', 'context.human.gate.text'],
]);

/** tracker (2389-research/tracker): `docs/architecture/` of its repository. */
export const tracker: DotDialect = {
  name: 'tracker',
  title: 'tracker',
  signs: {
    node: [
      'mode',
      'default_choice',
      'questions_key',
      'answers_key',
      'response_format',
      'reflect_on_error',
      'verify_command',
      'verify_after_edit',
      'context_compaction',
      'subgraph_ref',
      'command_timeout',
      'timeout_action',
    ],
    texts: [/\$\{ctx\./, /\b(?:context|ctx)\.tool_stdout\b/, /\bctx\.outcome\b/],
  },
  attributes: {
    graph: specification.attributes.graph,
    node: {
      ...specification.attributes.node,
      mode: byValue({
        freeform,
        choice: needless,
        yes_no: needless,
        interview: revalued('human.text', () => 'required', {
          kind: 'changed',
          message:
            'the gate asks one question here: let the stage before write the questions into its prompt',
        }),
      }),
      default_choice: renamed('human.default_choice'),
      default: renamed('human.default_choice'),
      questions_key: lost('write the questions into the prompt of the gate, as in ${context.questions}'),
      answers_key: lost('the words are ${context.human.gate.text}'),
      timeout_action: byValue({
        default: needless,
        fail: lost('without a `human.default_choice`, an answer that does not come is a failure'),
      }),
      subgraph_ref: child(),
      fallback_target: renamed('fallback_retry_target'),
      backend: byValue({
        native: needless,
        codergen: needless,
        'claude-code': revalued('llm_provider', () => '"claude-code"'),
        acp: lost('name the agent in `llm_provider`, and configure it'),
      }),
      acp_agent: renamed('llm_provider'),
      max_budget_usd: renamed('budget_usd'),
      allowed_tools: renamed('tools'),
      disallowed_tools: lost('`tools` lists those that are allowed'),
      command_timeout: lost('`timeout` limits the whole stage'),
      response_format: lost('declare the keys in `writes`, as in writes="verdict: pass|fail"'),
      response_schema: lost(
        'declare the keys and their types in `writes`, as in writes="verdict: pass|fail"',
      ),
      cache_tool_results: lost('tools of models are not cached'),
      context_compaction: lost('conversations are compacted where a model needs it'),
      context_compaction_threshold: lost('conversations are compacted where a model needs it'),
      reflect_on_error: needless,
      verify_after_edit: lost('add a tool stage that verifies, and an edge back from it'),
      verify_command: lost('add a tool stage with this command, and an edge back from it'),
      max_verify_retries: lost('`max_visits` limits a loop'),
      plan_before_execute: lost('add a stage that plans'),
      plan: lost('add a stage that plans'),
      mcp_servers: lost('configure servers of tools where the agent is configured'),
      permission_mode: lost('the configuration of an agent has its `permissions`'),
    },
    edge: { ...specification.attributes.edge, condition },
  },
  texts: [
    {
      pattern: /\$\{ctx\.(?:node\.(\w+)\.last_response|response\.(\w+)|([\w.]+))\}/g,
      replace: ([, node = '', response = '', key = '']) => {
        const stage = node || response;
        if (stage !== '') return `\${stages.${stage}.response}`;
        return `\${${keysOfTracker.get(key) ?? (key.startsWith('graph.') ? key : `context.${key}`)}}`;
      },
    },
    { pattern: /\$\{params\.(\w+)\}/g, replace: ([, name = '']) => `\${inputs.${name}}` },
    ...specification.texts,
    goalOutsidePrompts,
  ],
  conditions: [
    { pattern: /\bctx\.(?=\w)/g, replace: () => 'context.' },
    { pattern: /\s+and\s+/g, replace: () => ' && ' },
    { pattern: /\s+or\s+/g, replace: () => ' || ' },
    {
      pattern: /\b(?:context\.)?tool_stdout(\s*(?:==|!=|=|in\b))/g,
      replace: ([, operator = '']) => `context.tool.last_line${operator}`,
    },
    { pattern: /\b(?:context\.)?tool_stdout\b/g, replace: () => 'context.tool.output' },
    { pattern: /\b(?:context\.)?human_response\b/g, replace: () => 'context.human.gate.text' },
    { pattern: /\bcontext\.(outcome|preferred_label)\b/g, replace: ([, key = '']) => key },
    { pattern: /\s+startswith\s+(\w+)/g, replace: ([, word = '']) => ` matches ^${word}` },
    { pattern: /\s+endswith\s+(\w+)/g, replace: ([, word = '']) => ` matches ${word}$` },
    ...specification.conditions,
    ...outcomeWords,
  ],
  pipeline: [...specification.pipeline, elseEdgesTakeFailures('tracker')],
};
