import { outgoingEdges } from '../../../graph/queries.js';
import { quote } from '../../../parser/dot/quote.js';
import {
  byValue,
  type DotDialect,
  lost,
  needless,
  type PipelineRule,
  renamed,
  revalued,
} from '../dot-dialect.js';
import { autoStatus, child, visitsOfAllNodes } from '../rules/attributes.js';
import { failureClass, outcomeWords } from '../rules/conditions.js';
import { plainEdgesTakeFailures } from '../rules/failures.js';
import { specification } from './specification.js';

const noSchema = lost('declare the keys and their types in `writes`, as in writes="verdict: pass|fail"');

/** `language="python"`: the script is the program, not a command. */
const python = (script: string): string => quote(`python3 - <<'END_OF_SCRIPT'\n${script}\nEND_OF_SCRIPT`);

/** An edge with `freeform=true` takes a text of the person. */
const freeformGates: PipelineRule = function* (graph) {
  for (const edge of graph.edges) {
    if (edge.attributes.get('freeform') === undefined) continue;
    const isOnly = outgoingEdges(graph, edge.from).length === 1;
    yield { kind: 'set', nodeId: edge.from, name: 'human.text', raw: isOnly ? 'required' : 'optional' };
    const message = 'the words of the person are ${context.human.gate.text}, next to the chosen label';
    yield { kind: 'note', span: edge.span, note: { kind: 'changed', message } };
  }
};

/** fabro (fabro.sh), earlier called arc: `docs/public/reference/dot-language.mdx` of its repository. */
export const fabro: DotDialect = {
  name: 'fabro',
  title: 'fabro',
  signs: {
    graph: ['stall_timeout', 'max_node_visits', 'loop_restart_signature_limit'],
    node: [
      'script',
      'language',
      'project_memory',
      'output_schema',
      'output_retries',
      'stdin_source',
      'selection',
      'for_each',
      'stack.child_workflow',
      'stack.child_dot_source',
    ],
    edge: ['freeform'],
    shapes: ['tab', 'insulator'],
    texts: [
      /\bprompt\s*=\s*"@/,
      /\boutcome\s*!?=\s*(?:succeeded|failed|partially_succeeded)\b/,
      /\{\{\s*(?:goal|inputs\.\w+)/,
      /[{;]\s*model\s*:/,
    ],
  },
  attributes: {
    graph: {
      ...specification.attributes.graph,
      max_node_visits: visitsOfAllNodes,
      stall_timeout: lost('set a `timeout` for the whole run, or `node [timeout="30m"]` for each attempt'),
      loop_restart_signature_limit: lost(
        'two failures in a row for the same final reason end such a loop here',
      ),
      on_failure: byValue({
        exit: revalued('on_failure', () => 'stop'),
        route: revalued('on_failure', () => 'continue'),
      }),
    },
    node: {
      ...specification.attributes.node,
      shape: byValue({
        tab: ({ beside }) => ({
          attributes: [
            { name: 'shape', raw: 'box' },
            ...(beside.has('tools') ? [] : [{ name: 'tools', raw: 'none' }]),
          ],
        }),
        insulator: ({ beside }) => ({
          attributes: [
            { name: 'shape', raw: 'parallelogram' },
            { name: 'tool_command', raw: quote(`sleep ${seconds(beside.get('duration') ?? '0')}`) },
          ],
        }),
      }),
      duration: needless,
      script: (use) =>
        use.beside.get('language') === 'python'
          ? { attributes: [{ name: 'tool_command', raw: python(use.attribute.value.text) }] }
          : renamed('tool_command')(use),
      language: needless,
      for_each: revalued('foreach', (path) =>
        quote(`\${${path.replace(/^(?!context\.|inputs\.)/, 'context.')}}`),
      ),
      on_failure: byValue({
        succeed: revalued('on_failure', () => 'continue'),
        route: needless,
        exit: revalued('on_failure', () => 'stop'),
      }),
      auto_status: autoStatus,
      'stack.child_workflow': child(),
      'stack.child_dot_source': lost('save it as a file, and name that in `child`'),
      output_schema: noSchema,
      output_retries: lost('invalid answers are returned to the model up to three times'),
      stdin_source: lost('write the value into the command: `printf %s ${context.key} | …`'),
      project_memory: lost('coding agents read the files of the project by themselves; models do not'),
      selection: lost('the edge with the greatest weight is taken, never a random one'),
      backend: lost('name an agent in `llm_provider`: claude-code, codex, gemini-cli'),
    },
    edge: { ...specification.attributes.edge, freeform: needless },
  },
  texts: [...specification.texts, { pattern: /([{;]\s*)(model|provider)(\s*:)/g, replace: stylesheetNames }],
  conditions: [...specification.conditions, ...outcomeWords, failureClass],
  pipeline: [...specification.pipeline, freeformGates, plainEdgesTakeFailures('fabro')],
};

/** `30s` for `sleep`, which wants seconds. */
function seconds(duration: string): string {
  const [, count = '0', unit = 's'] = /^(\d+)\s*(ms|s|m|h|d)?$/.exec(duration.trim()) ?? [];
  return String(Number(count) * (secondsOf.get(unit) ?? 1));
}

const secondsOf: ReadonlyMap<string, number> = new Map([
  ['ms', 0.001],
  ['s', 1],
  ['m', 60],
  ['h', 3600],
  ['d', 86_400],
]);

function stylesheetNames(
  [, before = '', name = '', after = '']: readonly string[],
  { attribute }: { readonly attribute: string },
) {
  return attribute === 'model_stylesheet' ? `${before}llm_${name}${after}` : undefined;
}
