import { excerpt } from '../../../diagnostic/excerpt.js';
import { graphAttribute, nodeAttribute } from '../../../graph/attributes.js';
import { handlerTypeOf } from '../../../graph/queries.js';
import { endsSoon } from '../../analysis/ends-soon.js';
import { attributeOwners } from '../../attribute-owners.js';
import { misspelt } from '../../misspelt.js';
import type { LintRule } from '../../rule.js';

/** §2.6, §4.10: without a `timeout` a tool may take for ever. */
export const toolTimeoutMissing: LintRule = {
  name: 'tool_timeout_missing',
  severity: 'info',
  summary: 'A tool that may hang has a `timeout`, or the run has one.',
  rationale:
    'Test runners, builds, downloads and servers sometimes hang. A tool without a `timeout` then blocks the run forever, without a failure that a route or a retry could handle. Give the tool a generous `timeout`, set one for all tools with `node [timeout="15m"]`, or set one for the whole run with `graph [timeout="2h"]`. Commands that only print, test or move files are not reported.',
  *apply(graph, { handlerTypes }) {
    const { graphMeans, nodeMeans } = misspelt(graph);
    if (graphAttribute(graph, 'timeout') !== undefined || graphMeans('timeout')) return;
    const tools = attributeOwners(graph)
      .nodesWith('tool_command')
      .filter(
        (node) =>
          nodeAttribute(node, 'timeout') === undefined &&
          !nodeMeans(node, 'timeout') &&
          handlerTypeOf(graph, node, handlerTypes).type === 'tool' &&
          !endsSoon(nodeAttribute(node, 'tool_command')),
      );
    const [first, ...others] = tools;
    if (first === undefined) return;
    const more =
      others.length === 0
        ? ''
        : others.length === 1
          ? ', nor has one more tool of this pipeline'
          : `, nor have ${others.length} more tools of this pipeline`;
    yield {
      message: `tool ${excerpt(first.id)} has no \`timeout\`${more}; if its command hangs, the run waits forever`,
      span: first.span,
      nodeId: first.id,
      related: others.slice(0, maximumRelated).map(({ id, span }) => ({
        span,
        message: `${excerpt(id)} has none either`,
      })),
      fix: {
        title: 'add `timeout="15m"` to the tool, or a `timeout` for the whole run to the graph',
        edits: [],
      },
    };
  },
};

const maximumRelated = 5;
