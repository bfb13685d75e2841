import { excerpt } from '../../../diagnostic/excerpt.js';
import type { Attribute, Node } from '../../../graph/graph.js';
import { isKey } from '../../../graph/values/key-lists.js';
import { reservedAs, type WrittenKey, writtenKeys } from '../../../graph/values/written-keys.js';
import { writingNodes } from '../../analysis/context-writes.js';
import { spanInside } from '../../findings-inside.js';
import type { Finding, LintContext, LintRule } from '../../rule.js';

/** SEMANTICS 102: what the engine and the handlers set is theirs. */
export const keyWritable: LintRule = {
  name: 'key_writable',
  severity: 'error',
  summary: 'A stage writes only keys that authors may set.',
  rationale:
    'The engine and the handlers set keys of their own: `inputs.…`, `graph.…`, `internal.…`, `result.…`, `stages.…`, `parallel.…`, `tool.…`, `human.…`, `work.…`, `current_node`, `outcome` and `preferred_label`. An `assign.<key>` or `writes` with such a key would be overwritten, or would mislead later stages. Choose another name. To read `tool.last_line` under a name of your own, write `"assign.version"="${tool.last_line}"`. A key consists of letters, digits, `_` and `-`, in parts between dots, and begins with a letter.',
  *apply(graph, context) {
    const seen = new Set<Attribute>();
    for (const node of writingNodes(graph)) {
      const keys = writtenKeys(node).filter(({ attribute }) => !seen.has(attribute));
      for (const written of keys) {
        seen.add(written.attribute);
        const message = problemOf(written);
        if (message !== undefined) yield finding(node, written, message, context);
      }
    }
  },
};

function problemOf({ key, attribute, span }: WrittenKey): string | undefined {
  const reserved = reservedAs(key);
  if (reserved !== undefined) {
    const keys = key === reserved ? `\`${key}\`` : `keys that begin with \`${reserved}\``;
    return `\`${key}\` cannot be written: only the engine and the handlers set ${keys}`;
  }
  if (span !== undefined || isKey(key)) return undefined;
  return `\`${attribute.name}\` names ${key === '' ? 'no key' : `${excerpt(key)}, which is not a key`}; expected letters, digits, "_" and "-", in parts between dots, beginning with a letter`;
}

function finding(
  { id }: Node,
  { key, attribute, span }: WrittenKey,
  message: string,
  { source }: LintContext,
): Finding {
  const [, ...rest] = key.split('.');
  const freeKey = rest.join('_');
  return {
    message,
    span: span === undefined ? attribute.keySpan : spanInside(attribute, span, source),
    nodeId: id,
    fix: {
      title: isKey(freeKey)
        ? `choose another key, such as \`${freeKey}\``
        : 'choose another key, such as `plan`',
      edits: [],
    },
  };
}
