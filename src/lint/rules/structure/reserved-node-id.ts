import { excerpt } from '../../../diagnostic/excerpt.js';
import type { Node } from '../../../graph/graph.js';
import type { Finding, LintRule } from '../../rule.js';

/** Names in a run directory that a node id can spell; the others contain a dot or a hyphen. */
const ownNames: ReadonlyMap<string, string> = new Map([
  ['artifacts', 'directory'],
  ['lock', 'file'],
]);

/**
 * SEMANTICS 71: every stage has a directory named after its node, next to the files of the run itself
 * (§5.6).
 */
export const reservedNodeId: LintRule = {
  name: 'reserved_node_id',
  severity: 'error',
  summary: 'No node has an id that the run directory reserves.',
  rationale:
    'A run keeps the files of every stage in a directory named after the node. The names `artifacts` and `lock` are already in use there, so a stage with that name would overwrite the artifacts or the lock. On a file system that ignores case, so would `Artifacts` and `LOCK`, and Windows reserves names such as `con`, `nul` and `com1`: those are warnings. Give the node another id; it can keep its `label`.',
  *apply(graph) {
    for (const node of graph.nodes.values()) {
      // No such name is longer.
      if (node.id.length > 9) continue;
      const finding = reserved(node);
      if (finding !== undefined) yield finding;
    }
  },
};

function reserved(node: Node): Finding | undefined {
  const { id } = node;
  const name = id.toLowerCase();
  const common = {
    span: node.span,
    nodeId: id,
    fix: { title: `rename it, for example to \`${id}_stage\``, edits: [] },
  };
  const kind = ownNames.get(name);
  if (kind !== undefined) {
    if (id === name) {
      return {
        ...common,
        message: `a node cannot be called ${excerpt(id)}: the run directory has its own ${kind} of that name`,
      };
    }
    return {
      ...common,
      severity: 'warning',
      message: `${excerpt(id)} is a bad name for a node: the run directory has its own ${kind} ${excerpt(name)}, and some file systems ignore case`,
    };
  }
  if (!windowsDevice.test(name)) return undefined;
  return {
    ...common,
    severity: 'warning',
    message: `${excerpt(id)} is a bad name for a node: Windows reserves that name, so the directory of the stage cannot be created there`,
  };
}

const windowsDevice = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])$/;
