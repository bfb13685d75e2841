import { excerpt } from '../../../diagnostic/excerpt.js';
import { graphAttribute, nodeAttribute } from '../../../graph/attributes.js';
import type { Attribute, Graph, Node } from '../../../graph/graph.js';
import { type HandlerType, handlerTypeNamed } from '../../../graph/handler-types.js';
import { handlerTypeOf } from '../../../graph/queries.js';
import { retryPolicyOf } from '../../../graph/retry-policy.js';
import { attributeOwners } from '../../attribute-owners.js';
import { misspelt } from '../../misspelt.js';
import type { Finding, LintRule } from '../../rule.js';

/** SEMANTICS 24, 25, 27: retries that the engine will never make. */
export const retryWithoutEffect: LintRule = {
  name: 'retry_without_effect',
  severity: 'warning',
  summary: 'Retry attributes are set only where they have an effect.',
  rationale:
    'A start, an exit or a diamond does no work, so it is never retried. With `max_retries=0` there is a single attempt, whatever the `retry_policy`. A non-zero exit code of a tool is retried only if the node itself sets `max_retries` (or the graph sets `retry_on_fail=always`): with a `retry_policy` alone, or with `retry_on_fail=never`, the tool runs once, and `allow_partial`, which only applies to the last retry, has no effect. Set `max_retries` where you want retries, and remove the rest.',
  tag: 'unnecessary',
  *apply(graph, { handlerTypes }) {
    const { nodesWith } = attributeOwners(graph);
    for (const node of new Set(names.flatMap((name) => nodesWith(name)))) {
      const handler = handlerTypeOf(graph, node, handlerTypes);
      if (handlerTypeNamed(handler.type) === undefined || misspelt(graph).nodeMeans(node, 'max_retries'))
        continue;
      const finding = withoutEffect(graph, node, handler);
      if (finding !== undefined) yield { ...finding, nodeId: node.id };
    }
  },
};

const names = ['max_retries', 'retry_policy', 'allow_partial'] as const;

function withoutEffect(graph: Graph, node: Node, handler: HandlerType): Finding | undefined {
  const retries = own(node, 'max_retries');
  const policy = own(node, 'retry_policy');
  const retryAttribute = retries !== undefined && retries.value !== 0 ? retries : wantsRetries(policy);
  if (retryAttribute !== undefined && handler.instant && !handler.forks) {
    const title = handler.title.toLowerCase();
    return remark(
      retryAttribute,
      `\`${retryAttribute.name}\` has no effect on ${excerpt(node.id)}: a ${title} node does no work and is never retried`,
      `remove \`${retryAttribute.name}\``,
    );
  }
  if (policy !== undefined && retries?.value === 0 && wantsRetries(policy) !== undefined) {
    return remark(
      policy,
      `the \`retry_policy\` of ${excerpt(node.id)} has no effect: \`max_retries=0\` leaves a single attempt`,
      'remove one of the two',
    );
  }
  if (handler.type !== 'tool' || retryPolicyOf(graph, node, true).retriesFailure) return undefined;
  return ofTool(graph, node, retryAttribute ?? partial(node));
}

/** Finding for a tool, which fails only plainly: by its exit code. */
function ofTool(graph: Graph, node: Node, attribute: Attribute | undefined): Finding | undefined {
  if (attribute === undefined) return undefined;
  const isNever = graphAttribute(graph, 'retry_on_fail') === 'never';
  const reason = isNever
    ? 'the graph has `retry_on_fail=never`, so a non-zero exit code is final'
    : 'a non-zero exit code is retried only if the tool itself has `max_retries`';
  return remark(
    attribute,
    `\`${attribute.name}\` has no effect on tool ${excerpt(node.id)}: ${reason}`,
    isNever ? `remove \`${attribute.name}\`, or \`retry_on_fail=never\`` : 'add `max_retries`',
  );
}

/** Attribute of the node itself; a default for all nodes need not concern each of them. */
function own(node: Node, name: (typeof names)[number]): Attribute | undefined {
  const attribute = node.attributes.get(name);
  return attribute?.origin === 'explicit' ? attribute : undefined;
}

function wantsRetries(policy: Attribute | undefined): Attribute | undefined {
  return policy === undefined || policy.value === 'none' || policy.value === '' ? undefined : policy;
}

function partial(node: Node): Attribute | undefined {
  return nodeAttribute(node, 'allow_partial') ? own(node, 'allow_partial') : undefined;
}

function remark({ keySpan, valueSpan }: Attribute, message: string, title: string): Finding {
  return { message, span: { start: keySpan.start, end: valueSpan.end }, fix: { title, edits: [] } };
}
