import type { Graph } from '../../../graph/graph.js';
import { attributeText } from '../../../graph/graph.js';
import { outgoingEdges } from '../../../graph/queries.js';
import { quote } from '../../../parser/dot/quote.js';
import { byValue, type DotDialect, lost, needless, type PipelineRule, revalued } from '../dot-dialect.js';
import { autoStatus, child } from '../rules/attributes.js';
import { outcomeLabels, outcomeWords } from '../rules/conditions.js';
import { dollarNames, goalOutsidePrompts } from '../rules/texts.js';
import { specification } from './specification.js';

const keys = (list: string): readonly string[] => list.split(',').flatMap((key) => key.trim() || []);

/** `$name` for a parameter of the pipeline, or for a key that a sub-pipeline hands back. */
function valueFor(name: string, graph: Graph): string | undefined {
  const declared = graph.attributes.get('params')?.value;
  if (declared !== undefined && keys(attributeText(declared)).includes(name)) return `\${inputs.${name}}`;
  const isOutput = [...graph.nodes.values()].some(({ attributes }) => {
    const outputs = attributes.get('outputs')?.value;
    return attributes.has('dot_file') && outputs !== undefined && keys(attributeText(outputs)).includes(name);
  });
  return isOutput ? `\${context.${name}}` : undefined;
}

/** `runs_on="failure"` on a node lets failures of the stages before it take their plain edges to it. */
const runsOn: PipelineRule = function* (graph) {
  for (const edge of graph.edges) {
    const when = graph.nodes.get(edge.to)?.attributes.get('runs_on')?.value;
    if (when !== 'always' && when !== 'failure') continue;
    if (edge.attributes.has('condition') || outgoingEdges(graph, edge.from).length === 0) continue;
    if (when === 'always') yield { kind: 'set', nodeId: edge.from, name: 'on_failure', raw: 'continue' };
    else yield { kind: 'set_edge', edge, name: 'condition', raw: '"outcome=fail"' };
  }
};

/** The Attractor bundle of Microsoft's amplifier, later dot-runner: `docs/DOT-SYNTAX.md` and `docs/ROUTING-REFERENCE.md`. */
export const amplifier: DotDialect = {
  name: 'amplifier',
  title: 'amplifier',
  signs: {
    graph: ['params', 'max_pipeline_duration'],
    node: ['dot_file', 'runs_on', 'continue_on_fail', 'must_write'],
    shapes: ['folder'],
    texts: [/"?context\.\w+"?\s*=\s*"/, /\bdot-runner\b/],
  },
  attributes: {
    graph: {
      ...specification.attributes.graph,
      params: revalued('inputs', (list) =>
        quote(
          keys(list)
            .map((key) => `${key}?`)
            .join(', '),
        ),
      ),
      max_pipeline_duration: ({ attribute }) =>
        attribute.value.text.includes('$')
          ? {
              attributes: [],
              note: {
                kind: 'lost',
                message: `max_pipeline_duration=${quote(attribute.value.text)}: \`timeout\` is a duration, such as "4h"; give it when the run starts`,
              },
            }
          : { attributes: [{ name: 'timeout' }] },
    },
    node: {
      ...specification.attributes.node,
      shape: byValue({
        folder: ({ beside }) =>
          beside.has('type')
            ? undefined
            : {
                attributes: [
                  { name: 'shape', raw: 'folder' },
                  { name: 'type', raw: 'pipeline' },
                ],
              },
      }),
      dot_file: child(),
      'context.*': ({ attribute }) => ({
        attributes: [{ name: attribute.key.name.replace(/^context\./, 'params.') }],
      }),
      outputs: ({ attribute, beside }) =>
        beside.has('dot_file')
          ? {
              attributes: keys(attribute.value.text).map((key) => ({
                name: `assign.${key}`,
                raw: quote(`\${context.child.context.${key}}`),
              })),
            }
          : undefined,
      continue_on_fail: byValue({ true: revalued('on_failure', () => 'continue'), false: needless }),
      runs_on: byValue({ always: needless, success: needless, failure: needless }),
      must_write: lost('let the next command test for the file, as in `test -s report.md`'),
      auto_status: autoStatus,
    },
    edge: specification.attributes.edge,
  },
  texts: [...specification.texts, dollarNames(valueFor), goalOutsidePrompts],
  conditions: [...specification.conditions, ...outcomeWords, outcomeLabels],
  pipeline: [...specification.pipeline, runsOn],
};
