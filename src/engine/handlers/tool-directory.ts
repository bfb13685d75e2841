import path from 'node:path';
import { nodeAttribute } from '../../graph/attributes.js';
import { graphTemplate, nodeTemplate } from '../../graph/templates.js';
import type { Stage } from './handler.js';
import { renderForStage } from './stage-values.js';

/** Where a tool runs: its own `workdir` or the graph's, seen from where the run was started (SEMANTICS 95). */
export function toolDirectory(stage: Stage): string {
  const { node, graph, workingDirectory } = stage;
  const isOwn = nodeAttribute(node, 'workdir') !== '';
  const written = isOwn ? nodeTemplate(node, 'workdir') : graphTemplate(graph, 'workdir');
  return path.resolve(workingDirectory, renderForStage(stage, written));
}
