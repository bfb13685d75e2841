import path from 'node:path';
import { nodeAttribute } from '../../graph/attributes.js';
import { graphTemplate, nodeTemplate, type Template } from '../../graph/templates.js';
import type { Stage } from '../handler.js';
import { renderForStage } from '../stage-values.js';

/**
 * Directory of a tool: its own `workdir` or the graph's, relative to the directory in which the run was
 * started (SEMANTICS 95).
 * @param preferred overrides both unless it is empty
 */
export function toolDirectory(stage: Stage, preferred?: Template): string {
  const { node, graph, workingDirectory } = stage;
  const isOwn = nodeAttribute(node, 'workdir') !== '';
  const written = isOwn ? nodeTemplate(node, 'workdir') : graphTemplate(graph, 'workdir');
  const chosen = preferred === undefined || preferred.text === '' ? written : preferred;
  return path.resolve(workingDirectory, renderForStage(stage, chosen));
}
