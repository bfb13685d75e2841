import type { Diagnostic } from '../diagnostic/diagnostic.js';
import type { Program } from './program.js';

/**
 * What of a valid pipeline this version cannot execute. A run that would meet it must not start: treating a fan-out as an
 * ordinary stage, or ignoring `loop_restart`, would run something else than the author wrote.
 * @param handledTypes the handler types for which there is a handler
 */
export function unsupportedFeatures(
  program: Program,
  handledTypes: { has(type: string): boolean },
): readonly Diagnostic[] {
  const diagnostics: Diagnostic[] = [];
  for (const node of program.nodes.values()) {
    if (handledTypes.has(node.handler.type)) continue;
    diagnostics.push({
      rule: 'unsupported_feature',
      severity: 'error',
      message: `this version cannot execute \`${node.handler.type}\` stages such as "${node.id}"`,
      span: node.node.span,
      nodeId: node.id,
      fix: {
        title: `register a handler for \`${node.handler.type}\`, or use a version that has one`,
        edits: [],
      },
    });
  }
  for (const edge of program.graph.edges) {
    const restart = edge.attributes.get('loop_restart');
    if (restart?.value !== true) continue;
    diagnostics.push({
      rule: 'unsupported_feature',
      severity: 'error',
      message: 'this version cannot execute edges with `loop_restart`',
      span: restart.keySpan,
      edge: [edge.from, edge.to],
      fix: { title: 'remove `loop_restart`, or use a version that has it', edits: [] },
    });
  }
  return diagnostics;
}
