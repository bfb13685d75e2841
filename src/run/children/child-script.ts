import { handlerTypeNamed } from '../../graph/handler-types.js';
import type { Program } from '../../graph/program.js';
import type { SimulationScript } from '../../run-directory/simulation-script.js';

const separator = '/';

/** Script for the child of a node: the entries `<node>/<node of the child>`, without the node. */
export function scriptOfChild({ nodes, answers }: SimulationScript, nodeId: string): SimulationScript {
  return { nodes: entriesOfChild(nodes, nodeId), answers: entriesOfChild(answers, nodeId) };
}

export function entriesOfChild<Entry>(
  entries: ReadonlyMap<string, Entry>,
  nodeId: string,
): ReadonlyMap<string, Entry> {
  const prefix = `${nodeId}${separator}`;
  const own = [...entries].filter(([id]) => id.startsWith(prefix));
  return new Map(own.map(([id, entry]) => [id.slice(prefix.length), entry]));
}

/**
 * True if an id in a script or an answer is that of a stage in a child: of a node that runs one, or of a
 * registered type, which may. The rest of the id is checked when the child starts.
 */
export function isOfChild(program: Program, id: string): boolean {
  const [nodeId = '', inner = ''] = id.split(separator, 2);
  const type = inner === '' ? undefined : program.nodes.get(nodeId)?.handler.type;
  if (type === undefined) return false;
  return handlerTypeNamed(type)?.runsChild ?? true;
}
