import { byValue, type DotDialect, lost, needless, renamed, revalued } from '../dot-dialect.js';
import { customOutcomes, failureClass, outcomeWords } from '../rules/conditions.js';
import { plainEdgesTakeFailures } from '../rules/failures.js';
import { fileLoops } from '../rules/file-loops.js';
import { specification } from './specification.js';

const declared = lost('it only declares files, and those need no declaration here');
const agent = (name: string) => revalued('llm_provider', () => name);

/** kilroy (danshapiro/kilroy): `skills/` and `internal/attractor/` of its repository. */
export const kilroy: DotDialect = {
  name: 'kilroy',
  title: 'kilroy',
  signs: {
    graph: ['provenance_version', 'loop_restart_persist_keys', 'loop_restart_signature_limit'],
    node: [
      'agent_tool',
      'agent_mode',
      'loop_id',
      'loop_max',
      'collect_browser_artifacts',
      'escalation_models',
    ],
    shapes: ['trapezium', 'invtrapezium'],
    texts: [/\$KILROY_\w+/, /\.kilroy\//, /\bfailure_class\s*!?=/],
  },
  attributes: {
    graph: {
      ...specification.attributes.graph,
      provenance_version: needless,
      outputs: declared,
      loop_restart_persist_keys: lost(
        'a restart keeps the inputs and the attributes of the pipeline, and no other values',
      ),
      loop_restart_signature_limit: lost(
        'two failures in a row for the same final reason end such a loop here',
      ),
    },
    node: {
      ...specification.attributes.node,
      outputs: declared,
      agent_mode: needless,
      agent_tool: byValue({
        claude: agent('"claude-code"'),
        codex: agent('codex'),
        gemini: agent('"gemini-cli"'),
        opencode: agent('opencode'),
      }),
      llm_provider: ({ beside }) => (beside.has('agent_tool') ? { attributes: [] } : undefined),
      collect_browser_artifacts: lost('let the command write what it keeps into $ATTRACTOR_STAGE_DIR'),
      escalation_models: renamed('llm_fallback'),
      loop_id: needless,
      loop_max: needless,
      loop_count: needless,
      loop_until_file: needless,
      loop_until_file_contains: needless,
    },
    edge: specification.attributes.edge,
  },
  texts: [
    ...specification.texts,
    {
      pattern: /\$(?:\{)?KILROY_STAGE_STATUS(?:_FALLBACK)?_PATH(?:\})?/g,
      replace: () => '$ATTRACTOR_STAGE_DIR/status.json',
    },
    { pattern: /\$(\{?)KILROY_LOGS_ROOT\b/g, replace: ([, brace = '']) => `$${brace}ATTRACTOR_LOGS_ROOT` },
    {
      pattern: /\$(\{?)KILROY_(RUN_ID|NODE_ID)\b/g,
      replace: ([, brace = '', name = '']) => `$${brace}ATTRACTOR_${name}`,
    },
    {
      pattern: /\.kilroy\/INPUT\.md/g,
      replace: () => ({
        kind: 'lost',
        message: '.kilroy/INPUT.md is not written: name the inputs, as in ${inputs.spec}',
      }),
    },
  ],
  conditions: [...specification.conditions, ...outcomeWords, failureClass, customOutcomes],
  pipeline: [...specification.pipeline, fileLoops, plainEdgesTakeFailures('kilroy')],
};
